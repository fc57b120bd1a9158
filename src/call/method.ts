import type {
  DescMessage,
  DescMethod,
  DescMethodBiDiStreaming,
  DescMethodClientStreaming,
  DescMethodServerStreaming,
  DescMethodUnary,
  MessageShape,
} from "@bufbuild/protobuf";
import type { CallContext } from "./context.ts";
import type { Deadline } from "./deadline.ts";
import type { ReadableHeaders, WritableHeaders } from "./headers.ts";

/** What a method knows of a call in addition to its request message. */
export interface Call<Caller> extends CallContext {
  /** The caller, as admission has identified it. */
  readonly caller: Caller;
  /** Aborted when the client disconnects, when the deadline passes, or when the time to drain is over. */
  readonly signal: AbortSignal;
  /**
   * When the request's header section arrived, on the clock of performance.now(), in milliseconds. Data that was read
   * later is fresh enough for the call. Undefined when it is not known.
   */
  readonly arrivedAt?: number;
  /** The time at which the client stops waiting, counted from the arrival of the request's header section. */
  readonly deadline: Deadline;
  /** The request's id: `X-Request-Id` of its response. */
  readonly requestId: string;
  /** Headers of the request, or RPC metadata. */
  readonly requestHeaders: ReadableHeaders;
  /** Headers of a successful response, such as `etag`. Set them before the first message. */
  readonly responseHeaders: WritableHeaders;
  /**
   * Sets a header of the response, whether it is a success or an error. Replaces a header of the same name. Call it
   * before the first message.
   */
  setHeader(name: string, value: string): void;
  /** Trailers of the response. REST does not send them. */
  readonly responseTrailers: WritableHeaders;
  /**
   * Ends a streaming call at once, even while its function waits for the client to read, and aborts the signal. The
   * client receives the error if it reads everything sent before within a second. Otherwise its stream is reset.
   *
   * @param reason a ConnectError; any other error is a bug
   */
  end(reason: unknown): void;
}

/** Maps an error of a call to the error to send. It leaves an error unchanged that it has mapped before. */
export type MapError = (error: unknown, call: CallContext) => unknown;

/**
 * The common part of all methods, for calls from any protocol. The checks of the caller and the requests belong to it,
 * so no protocol can leave them out. A request or response is a message or a stream of messages.
 */
interface Guarded<Caller, Desc extends DescMethod, Request, Response> {
  readonly kind: Desc["methodKind"];
  readonly desc: Desc;
  /**
   * Checks that the caller may call the method. `invoke` checks this too, but a protocol should check it before it
   * reads the body, where it can.
   *
   * @throws ConnectError permission_denied
   */
  authorize(caller: Caller): void;
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
  invoke(request: Request, call: Call<Caller>): Response;
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
  Caller,
  I extends DescMessage = DescMessage,
  O extends DescMessage = DescMessage,
> = SingleRequest<I> &
  Guarded<Caller, DescMethodUnary<I, O>, MessageShape<I>, Promise<MessageShape<O>>>;

/** A method that returns a stream of messages. */
export type ServerStreamingMethod<
  Caller,
  I extends DescMessage = DescMessage,
  O extends DescMessage = DescMessage,
> = SingleRequest<I> &
  Guarded<Caller, DescMethodServerStreaming<I, O>, MessageShape<I>, Stream<MessageShape<O>>>;

/** A method with a single request message. */
export type SingleRequestMethod<Caller> = UnaryMethod<Caller> | ServerStreamingMethod<Caller>;

/** A method of any kind. */
export type Method<Caller> =
  | SingleRequestMethod<Caller>
  | Guarded<Caller, DescMethodClientStreaming, Stream<AnyMessage>, Promise<AnyMessage>>
  | Guarded<Caller, DescMethodBiDiStreaming, Stream<AnyMessage>, Stream<AnyMessage>>;
