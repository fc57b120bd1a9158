import type {
  DescMessage,
  DescMethodServerStreaming,
  DescMethodUnary,
  MessageShape,
} from "@bufbuild/protobuf";

/** What a method is told about the call besides its request message. */
export interface Call<Caller> {
  /** Who calls: whatever admission established. */
  readonly caller: Caller;
  /** Aborted when the client leaves, the deadline passes or the server gives up draining. */
  readonly signal: AbortSignal;
  /** Header fields for the answer, such as `etag`, where the protocol has a place for them. */
  readonly responseHeaders?: { set(name: string, value: string): void };
}

/**
 * A unary method, ready to be called from any protocol: checks of the caller and of the request
 * are part of it, so no protocol can forget them.
 */
export interface UnaryMethod<
  Caller,
  I extends DescMessage = DescMessage,
  O extends DescMessage = DescMessage,
> {
  readonly kind: "unary";
  readonly desc: DescMethodUnary<I, O>;
  /**
   * May this caller call the method at all? Part of `invoke` too; a protocol that can ask before it
   * reads the body should.
   *
   * @throws ConnectError permission_denied
   */
  authorize(caller: Caller): void;
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
> {
  readonly kind: "server_streaming";
  readonly desc: DescMethodServerStreaming<I, O>;
  /** @throws ConnectError permission_denied */
  authorize(caller: Caller): void;
  /** @throws ConnectError of any code, before or between messages */
  invoke(request: MessageShape<I>, call: Call<Caller>): AsyncIterable<MessageShape<O>>;
}

/** Any method a server here can offer. */
export type Method<Caller> = UnaryMethod<Caller> | ServerStreamingMethod<Caller>;
