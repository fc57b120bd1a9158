import type {
  DescMessage,
  DescMethod,
  DescMethodStreaming,
  DescMethodUnary,
  MessageShape,
} from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import type { HasValues } from "./request-info.ts";

/** A message of any type. */
export type AnyMessage = MessageShape<DescMessage>;
export type Stream<T> = AsyncIterable<T>;

/** Maps an error of a call to the error to send. It leaves an error unchanged that it has mapped before. */
export type MapError = (error: unknown, context: HasValues) => unknown;

/** A method with its guards, for calls from any protocol. */
interface Guarded<Desc extends DescMethod, Request, Response> {
  readonly kind: Desc["methodKind"];
  readonly desc: Desc;
  /** Whether its calls pass no gate. Their work does not wait for that of others. */
  readonly isPublic?: boolean | undefined;
  /** The largest message after decompression, in bytes; undefined when that of the server holds. */
  readonly readMaxBytes?: number | undefined;
  /** Checks a call. To be called before its body is read, and before `invoke`. @throws ConnectError */
  before(context: HandlerContext): Promise<void> | void;
  /** Checks a message of a request, as `invoke` does, before a part of the message is replaced. @throws ConnectError */
  check(message: AnyMessage, context: HandlerContext): Promise<void> | void;
  /** Whether a call takes so much work that few of its kind run at once. */
  isLong(request: AnyMessage): boolean;
  /** Maps an error of a call to the error to send. To be called with each error before it is sent. */
  readonly mapError: MapError;
  /**
   * Checks the request and calls the service. A message of a stream is checked when the service reads it.
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

export type Method = UnaryMethod | StreamingMethod;
