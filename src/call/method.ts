import type {
  DescMessage,
  DescMethod,
  DescMethodStreaming,
  DescMethodUnary,
  MessageShape,
} from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import type { CallContext } from "./context.ts";
import type { HasValues } from "./request-info.ts";

/** A message of any type. */
export type AnyMessage = MessageShape<DescMessage>;
/** The messages of a stream, which are read one by one. */
export type Stream<T> = AsyncIterable<T>;

/** Maps an error of a call to the error to send. It leaves an error unchanged that it has mapped before. */
export type MapError = (error: unknown, call: CallContext) => unknown;

/**
 * A method with its guards, for calls from any protocol. The checks of the caller and the requests belong to it, so no
 * protocol can leave them out.
 */
interface Guarded<Desc extends DescMethod, Request, Response> {
  readonly kind: Desc["methodKind"];
  readonly desc: Desc;
  /**
   * Checks that the caller may call the method. `invoke` checks this too, but a protocol should check it before it
   * reads the body, where it can.
   *
   * @throws ConnectError permission_denied
   */
  authorize(context: HasValues): void;
  /**
   * Checks a request by the rules in the proto file. `invoke` checks this too. Call it before a part of the request is
   * replaced, so that the replaced part is checked as well.
   *
   * @throws ConnectError invalid_argument
   */
  validate(request: AnyMessage): void;
  /**
   * Maps an error that has ended a call from outside, such as a passed deadline, to the error to send. `invoke` does so
   * itself. Absent when errors are sent unchanged.
   */
  readonly mapError?: MapError | undefined;
  /**
   * Checks the caller and the request, then calls the service. A message of a stream is checked when the service reads it.
   *
   * @param request a stream if the method has a stream of requests
   * @throws ConnectError of any code, before or between the messages of a stream; any other error is a bug
   */
  invoke(request: Request, context: HandlerContext): Response;
}

/** A method with one request and one response. */
export type UnaryMethod = Guarded<DescMethodUnary, AnyMessage, Promise<AnyMessage>>;

/** A method with a stream of messages in either direction. Its responses are a stream, even if there is one only. */
export type StreamingMethod = Guarded<
  DescMethodStreaming,
  AnyMessage | Stream<AnyMessage>,
  Stream<AnyMessage>
>;

/** A method of any kind. */
export type Method = UnaryMethod | StreamingMethod;
