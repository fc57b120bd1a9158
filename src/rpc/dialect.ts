import type { DescMethodUnary } from "@bufbuild/protobuf";
import type { ConnectError } from "@connectrpc/connect";
import type { compressionNegotiate } from "@connectrpc/connect/protocol";
import type { HttpCall } from "../http/http-call.ts";
import type { NodeServerRequest, NodeServerResponse } from "../http/node-http.ts";

/** A message as it is sent: written, and perhaps compressed. */
export interface Packed<Data = string | Uint8Array> {
  readonly data: Data;
  readonly isCompressed: boolean;
}

/** What is sent besides the message: what the method has set. */
type Sent = Pick<HttpCall<never>, "headersSet" | "trailersSet">;

/** One unary call, as one protocol carries it: what its header section says, and how to answer it. */
export interface UnaryExchange {
  /** Whether messages are written in protobuf's binary form, or as JSON. */
  readonly isBinary: boolean;
  /** How long the client waits, in milliseconds, or what is wrong with what it says. */
  readonly timeout: { readonly timeoutMs?: number; readonly error?: ConnectError };
  readonly compression: ReturnType<typeof compressionNegotiate>;
  /** The longest body for a message of so many bytes. */
  readonly longestBody: (messageBytes: number) => number;
  /** How many bytes a message has by the start of the body; undefined when that does not tell. */
  readonly declaredSize: (start: Uint8Array) => number | undefined;
  /** The message, where it came in the request line; undefined where it is in the body. */
  readonly early: (() => Packed<Uint8Array>) | undefined;
  /** Takes the message out of the body. @throws ConnectError */
  readonly unpack: (body: Uint8Array) => Packed<Uint8Array>;
  /** Sends the answer, and what the method has set. */
  readonly answer: (response: NodeServerResponse, message: Packed, sent: Sent) => void;
  /** Sends an error instead, and what the method has set. */
  readonly fail: (response: NodeServerResponse, error: ConnectError, sent: Sent) => void;
}

/**
 * A protocol's way of a unary call.
 *
 * @returns undefined for what is not of this protocol, or out of its ordinary
 */
export type Dialect = (
  request: NodeServerRequest,
  method: DescMethodUnary,
  maxMessageBytes: number,
) => UnaryExchange | undefined;

/** A header field, as Connect's helpers take it. */
export function field({ headers }: NodeServerRequest, name: string): string | null {
  return headers[name]?.toString() ?? null;
}
