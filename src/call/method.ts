import type {
  DescMessage,
  DescMethod,
  DescMethodBiDiStreaming,
  DescMethodClientStreaming,
  DescMethodServerStreaming,
  DescMethodUnary,
  MessageShape,
} from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import type { CallContext } from "./context.ts";
import type { HasValues } from "./request-info.ts";

/** Maps an error of a call to the error to send. It leaves an error unchanged that it has mapped before. */
export type MapError = (error: unknown, call: CallContext) => unknown;

/**
 * The common part of all methods, for calls from any protocol. The checks of the caller and the requests belong to it,
 * so no protocol can leave them out. A request or response is a message or a stream of messages.
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
   * Maps an error that has ended a call from outside, such as a passed deadline, to the error to send. `invoke` does so
   * itself. Absent when errors are sent unchanged.
   */
  readonly mapError?: MapError | undefined;
  /**
   * Checks the caller and the request by the rules in the proto file, then calls the service. A message of a stream is
   * checked when the service reads it.
   *
   * @throws ConnectError of any code, before or between the messages of a stream; any other error is a bug
   */
  invoke(request: Request, context: HandlerContext): Response;
}

/** A message of any type. */
export type AnyMessage = MessageShape<DescMessage>;
/** The messages of a stream, which are read one by one. */
export type Stream<T> = AsyncIterable<T>;

/** The common part of methods with a single request message. */
interface SingleRequest<I extends DescMessage> {
  /**
   * Checks a request by the rules in the proto file. `invoke` checks this too. Call it before a part of the request is
   * replaced, so that the replaced part is checked as well.
   *
   * @throws ConnectError invalid_argument
   */
  validate(request: MessageShape<I>): void;
}

/** A method with one request and one response. */
export type UnaryMethod<
  I extends DescMessage = DescMessage,
  O extends DescMessage = DescMessage,
> = SingleRequest<I> & Guarded<DescMethodUnary<I, O>, MessageShape<I>, Promise<MessageShape<O>>>;

/** A method that returns a stream of messages. */
export type ServerStreamingMethod<
  I extends DescMessage = DescMessage,
  O extends DescMessage = DescMessage,
> = SingleRequest<I> &
  Guarded<DescMethodServerStreaming<I, O>, MessageShape<I>, Stream<MessageShape<O>>>;

/** A method with a single request message. */
export type SingleRequestMethod = UnaryMethod | ServerStreamingMethod;

/** A method of any kind. */
export type Method =
  | SingleRequestMethod
  | Guarded<DescMethodClientStreaming, Stream<AnyMessage>, Promise<AnyMessage>>
  | Guarded<DescMethodBiDiStreaming, Stream<AnyMessage>, Stream<AnyMessage>>;
