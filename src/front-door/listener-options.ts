import type { NodeServerRequest, NodeServerResponse, ThrowHandler } from "../http/node-http.ts";
import type { AddressFloods } from "./address-floods.ts";
import type { ConnectionLimit } from "./connection-limit.ts";
import type { HeldConnections } from "./held-connections.ts";

/** Answers one request. */
export type RequestHandler = (request: NodeServerRequest, response: NodeServerResponse) => void;

/** All times are in milliseconds and greater than zero. */
export interface ListenerOptions {
  /**
   * Answers a request, of whichever protocol. Called as soon as the header block is complete; with
   * `Expect: 100-continue` nothing has been answered yet, so whoever starts to read the body calls
   * `response.writeContinue()` first (RFC 9110, 10.1.1). What it throws before it returns goes to
   * {@link onThrow}.
   */
  readonly handle: RequestHandler;
  /**
   * Called with every request whose header section is complete, also with one that is refused before it
   * reaches {@link handle}. The response has its `X-Request-Id` by then.
   */
  readonly onRequest?: RequestHandler;
  /**
   * Reports and answers an error thrown by `handle`, or by a callback that node calls on behalf of a
   * request. By default the response is a 500 in JSON, or is cut off when it has begun.
   */
  readonly onThrow?: ThrowHandler;
  /** Certificate chain and private key in PEM. Without them the port speaks cleartext. */
  readonly tls?: { readonly cert: string | Buffer; readonly key: string | Buffer };
  /**
   * From the connection, or on a connection kept alive from a request's first byte, to the end of the
   * header block. Also the time a TLS handshake may take, and a cleartext client may take to show
   * which protocol it speaks. HTTP/2 has no such limit of its own: a session that opens no stream is
   * idle.
   */
  readonly headersTimeoutMs: number;
  /**
   * To receive a whole request, body included; at least {@link headersTimeoutMs}. The time taken to
   * answer does not count, unless the client is still sending.
   */
  readonly requestTimeoutMs: number;
  /**
   * How long a connection without a request in progress is kept. HTTP/1 adds one second to what it
   * announces, so that a client keeping to the announced time does not meet a closing connection.
   */
  readonly keepAliveTimeoutMs: number;
  /**
   * How long a client may take nothing of what is sent to it, before its connection or, over HTTP/2, its
   * stream is reset. It is noticed up to a quarter of the time late.
   */
  readonly sendTimeoutMs: number;
  /** Connections open at once. Further ones are closed at once. */
  readonly maxConnections: number;
  /** Bounds the connections of one client. */
  readonly connectionLimit?: ConnectionLimit;
  /** Counts floods over HTTP/2 by the client's address; only by connection when absent. */
  readonly addressFloods?: AddressFloods;
  /** HTTP/1: request line and header lines. HTTP/2: SETTINGS_MAX_HEADER_LIST_SIZE. */
  readonly maxHeaderBytes: number;
  /** Decides when idle HTTP/1 connections are read again; at once when absent. */
  readonly held?: HeldConnections;
  /** Receives errors of connections, and those that the default of {@link onThrow} reports. */
  readonly onFault?: (error: unknown) => void;
}
