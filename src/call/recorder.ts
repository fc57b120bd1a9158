import type { Message } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";

/** Records the calls of a method. */
export interface Recorder {
  /**
   * Records a call of a change before it is made, and its result afterwards; a call of a read when it has ended.
   *
   * @param request the request; undefined if it is a stream
   * @param work makes the call
   * @throws the error of `work`, or ConnectError unavailable if the call cannot be recorded
   */
  record<T extends Message>(
    request: Message | undefined,
    context: HandlerContext,
    work: () => Promise<T>,
  ): Promise<T>;
  /** Records a call that a guard has refused. @throws ConnectError unavailable if it cannot be recorded */
  refuse(request: Message, context: HandlerContext, error: unknown): Promise<void>;
}
