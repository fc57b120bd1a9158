import type {
  DescMessage,
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

/** The common part of all methods. The checks of the caller belong to it, so no protocol can leave them out. */
interface Guarded<Caller> {
  /**
   * Checks that the caller may call the method. `invoke` checks this too, but a protocol should check it before it
   * reads the body, where it can.
   *
   * @throws ConnectError permission_denied
   */
  authorize(caller: Caller): void;
}

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

/**
 * A unary method, with its checks of the caller and the request, for calls from any protocol.
 */
export interface UnaryMethod<
  Caller,
  I extends DescMessage = DescMessage,
  O extends DescMessage = DescMessage,
> extends Guarded<Caller>,
    SingleRequest<I> {
  readonly kind: "unary";
  readonly desc: DescMethodUnary<I, O>;
  /**
   * Checks the caller and the request by the rules in the proto file, then calls the service.
   *
   * @throws ConnectError of any code; any other error is a bug
   */
  invoke(request: MessageShape<I>, call: Call<Caller>): Promise<MessageShape<O>>;
}

/** A method that returns a stream of messages; otherwise like a unary method. */
export interface ServerStreamingMethod<
  Caller,
  I extends DescMessage = DescMessage,
  O extends DescMessage = DescMessage,
> extends Guarded<Caller>,
    SingleRequest<I> {
  readonly kind: "server_streaming";
  readonly desc: DescMethodServerStreaming<I, O>;
  /** @throws ConnectError of any code, before or between messages */
  invoke(request: MessageShape<I>, call: Call<Caller>): AsyncIterable<MessageShape<O>>;
}

/** A method that takes a stream of messages. Each message is checked when the service reads it. */
export interface ClientStreamingMethod<
  Caller,
  I extends DescMessage = DescMessage,
  O extends DescMessage = DescMessage,
> extends Guarded<Caller> {
  readonly kind: "client_streaming";
  readonly desc: DescMethodClientStreaming<I, O>;
  /** @throws ConnectError of any code */
  invoke(requests: AsyncIterable<MessageShape<I>>, call: Call<Caller>): Promise<MessageShape<O>>;
}

/** A method with a stream of messages in both directions. */
export interface BidiStreamingMethod<
  Caller,
  I extends DescMessage = DescMessage,
  O extends DescMessage = DescMessage,
> extends Guarded<Caller> {
  readonly kind: "bidi_streaming";
  readonly desc: DescMethodBiDiStreaming<I, O>;
  /** @throws ConnectError of any code, before or between messages */
  invoke(
    requests: AsyncIterable<MessageShape<I>>,
    call: Call<Caller>,
  ): AsyncIterable<MessageShape<O>>;
}

/** A method with a single request message. */
export type SingleRequestMethod<Caller> = UnaryMethod<Caller> | ServerStreamingMethod<Caller>;

/** A method of any kind. */
export type Method<Caller> =
  | SingleRequestMethod<Caller>
  | ClientStreamingMethod<Caller>
  | BidiStreamingMethod<Caller>;
