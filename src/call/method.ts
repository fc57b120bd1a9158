import type {
  DescMessage,
  DescMethodBiDiStreaming,
  DescMethodClientStreaming,
  DescMethodServerStreaming,
  DescMethodUnary,
  MessageShape,
} from "@bufbuild/protobuf";
import type { Deadline } from "./deadline.ts";
import type { ReadableFields, WritableFields } from "./fields.ts";

/** What a method is told about the call besides its request message. */
export interface Call<Caller> {
  /** Who calls: whatever admission established. */
  readonly caller: Caller;
  /** Aborted when the client leaves, the deadline passes or the server gives up draining. */
  readonly signal: AbortSignal;
  /** When the client stops waiting, counted from the arrival of the request's header section. */
  readonly deadline: Deadline;
  /** The request's id: `X-Request-Id` of its response. */
  readonly requestId: string;
  /** Header fields of the request; the metadata of RPC. */
  readonly requestHeaders: ReadableFields;
  /** Header fields for the answer, such as `etag`. To be set before the first message. */
  readonly responseHeaders: WritableFields;
  /**
   * Sets a header of the response, whether it is a success or an error. Replaces a header of the same name. Call it
   * before the first message.
   */
  setHeader(name: string, value: string): void;
  /** Fields that follow the answer, where the protocol has a place for them: REST has none. */
  readonly responseTrailers: WritableFields;
  /**
   * Ends a streaming call at once, even while its function waits for the client to read. Aborts the
   * signal. The client receives the error if it takes what was sent before within a second; otherwise
   * its stream is reset.
   *
   * @param reason a ConnectError; anything else is a bug
   */
  end(reason: unknown): void;
}

/** What all kinds of methods have: checks of the caller are part of it, so no protocol can forget them. */
interface Guarded<Caller> {
  /**
   * Begins work that the response is likely to need, before the caller is admitted. Called only
   * for callers that were admitted a few seconds ago. Never throws.
   */
  readonly prepare?: (() => void) | undefined;
  /**
   * May this caller call the method at all? Part of `invoke` too; a protocol that can ask before it
   * reads the body should.
   *
   * @throws ConnectError permission_denied
   */
  authorize(caller: Caller): void;
}

/**
 * A unary method, ready to be called from any protocol: checks of the caller and of the request
 * are part of it.
 */
export interface UnaryMethod<
  Caller,
  I extends DescMessage = DescMessage,
  O extends DescMessage = DescMessage,
> extends Guarded<Caller> {
  readonly kind: "unary";
  readonly desc: DescMethodUnary<I, O>;
  /**
   * Checks caller and request against the rules stated in the proto, then calls the service.
   *
   * @throws ConnectError of any code; anything else thrown is a bug
   */
  invoke(request: MessageShape<I>, call: Call<Caller>): Promise<MessageShape<O>>;
}

/** A method that answers with a stream of messages; otherwise like a unary one. */
export interface ServerStreamingMethod<
  Caller,
  I extends DescMessage = DescMessage,
  O extends DescMessage = DescMessage,
> extends Guarded<Caller> {
  readonly kind: "server_streaming";
  readonly desc: DescMethodServerStreaming<I, O>;
  /** @throws ConnectError of any code, before or between messages */
  invoke(request: MessageShape<I>, call: Call<Caller>): AsyncIterable<MessageShape<O>>;
}

/** A method that takes a stream of messages, each of which is checked when the service takes it. */
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

/** A method with a stream of messages either way. */
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

/** A method that takes one message. */
export type SingleRequestMethod<Caller> = UnaryMethod<Caller> | ServerStreamingMethod<Caller>;

/** Any method a server here can offer. */
export type Method<Caller> =
  | SingleRequestMethod<Caller>
  | ClientStreamingMethod<Caller>
  | BidiStreamingMethod<Caller>;
