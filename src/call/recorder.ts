import type { Message } from "@bufbuild/protobuf";
import type { Call } from "./method.ts";

/** Records the calls of a method. */
export interface Recorder<Caller> {
  /**
   * Records a call of a change before it is made, and its result afterwards; a call of a read when it has ended.
   *
   * @param request the request; undefined if it is a stream
   * @param work makes the call
   * @throws the error of `work`, or ConnectError unavailable if the call cannot be recorded
   */
  record<T extends Message>(
    request: Message | undefined,
    call: Call<Caller>,
    work: () => Promise<T>,
  ): Promise<T>;
  /** Records a call that a guard has refused. @throws ConnectError unavailable if it cannot be recorded */
  refuse(request: Message, call: Call<Caller>, error: unknown): Promise<void>;
}
