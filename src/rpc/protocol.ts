import type { DescMethod } from "@bufbuild/protobuf";
import type { ConnectError } from "@connectrpc/connect";
import type { Protocol } from "../call/request-record.ts";
import type { NodeServerRequest, NodeServerResponse } from "../http/exchange/node-http.ts";
import type { HttpContext } from "../http/http-context.ts";
import type { Negotiated } from "./compression.ts";

/** A serialized message, which may be compressed. */
export interface Packed<Data = string | Uint8Array> {
  readonly data: Data;
  readonly isCompressed: boolean;
}

/** The headers and trailers that the method has set. */
export type Metadata = Pick<HttpContext, "headersSet" | "trailersSet">;

/** A call in one protocol: what its headers say, how to read its message, and how to fail. */
export interface Exchange {
  readonly protocol: Exclude<Protocol, "http">;
  /** Whether messages are binary protobuf, rather than ProtoJSON. */
  readonly isBinary: boolean;
  /** The client's timeout in milliseconds, or the error of a malformed timeout. */
  readonly timeout: { readonly timeoutMs?: number; readonly error?: ConnectError };
  readonly compression: Negotiated;
  /** Returns the longest body, in bytes, for messages of at most this many bytes. */
  longestBody(messageBytes: number): number;
  /** Returns the size of the message in bytes, by the start of the body; undefined when it is not known yet. */
  declaredSize(start: Uint8Array): number | undefined;
  /** Returns the message in the query of a GET; undefined when the message is in the body. */
  messageInQuery?: (() => Packed<Uint8Array>) | undefined;
  /** Returns the message in the body. @throws ConnectError */
  unpack(body: Uint8Array): Packed<Uint8Array>;
  /** Ends the response with an error, whether it has begun or not. */
  fail(response: NodeServerResponse, error: ConnectError, metadata: Metadata): void;
}

/** A call with one response message. */
export interface UnaryExchange extends Exchange {
  /** Sends the response message. */
  succeed(response: NodeServerResponse, message: Packed, metadata: Metadata): void;
}

/** A call with a stream of messages in either direction. */
export interface StreamExchange extends Exchange {
  /** The bit of the flags of an envelope that ends a stream; 0 if there is none. */
  readonly endBit: number;
  /** Returns the envelopes of a body. Absent when the body has them unchanged. */
  decode?: ((body: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>) | undefined;
  /** Begins the response. */
  begin(response: NodeServerResponse, metadata: Metadata): void;
  /** Returns what to send for a message. */
  encode(message: Packed): Uint8Array;
  /** Ends the response after the last message. */
  end(response: NodeServerResponse, metadata: Metadata): void;
}

/**
 * Reads the headers of a call.
 *
 * @returns undefined for a request of another protocol
 */
export type Recognize<E extends Exchange> = (
  request: NodeServerRequest,
  method: DescMethod,
  maxMessageBytes: number,
) => E | undefined;

/** Returns a header in the form that Connect's helpers take. */
export function headerOf({ headers }: NodeServerRequest, name: string): string | null {
  return headers[name]?.toString() ?? null;
}
