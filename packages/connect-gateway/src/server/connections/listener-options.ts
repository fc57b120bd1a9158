import type { BlockList } from "node:net";
import { all, allOf, fits } from "../../call/option-checks.ts";
import type { Rejected, RequestRecord } from "../../call/request-record.ts";
import type { Exchange, ThrowHandler } from "../../http/exchange/exchange.ts";
import type { AddressFloods } from "../load/address-floods.ts";
import type { ConnectionAge } from "./connection-age.ts";
import type { UnreadLimits } from "./unread.ts";

/** Responds to a request. */
export type RequestHandler = (exchange: Exchange) => void;

/** Certificate chain and private key in PEM. */
export interface TlsIdentity {
  readonly cert: string | Buffer;
  readonly key: string | Buffer;
}

const pem = fits(
  "a string or a Buffer in PEM that is not empty",
  (value) => (typeof value === "string" || value instanceof Uint8Array) && value.length > 0,
);

/** Checks a certificate and key, without reading them: node takes an empty one as absent. */
export const checkTls = allOf<TlsIdentity>(all(pem, "cert", "key"));

/** The limit because of which a connection was closed: an option of the listener, or the limits of HTTP/2 frames. */
export type DropCause =
  | "MAX_CONNECTIONS"
  | "MAX_CONNECTIONS_PER_ADDRESS"
  | "MAX_UNREAD_BYTES"
  | "MAX_UNREAD_BYTES_PER_ADDRESS"
  | "SEND_TIMEOUT"
  | "HTTP2_FLOOD";

/** The limits of connections. All times are in milliseconds, and greater than zero. */
export interface ConnectionLimits {
  /**
   * How long a header section may take to arrive. Also the limit for a TLS handshake, and for a cleartext client to show
   * its protocol. It does not apply to HTTP/2, where a session without an open stream is idle.
   */
  readonly headersTimeoutMs: number;
  /**
   * How long a whole request, with its body, may take to arrive. At least {@link headersTimeoutMs}. The time until the
   * response does not count unless the client still sends. A gateway's gate has the same time.
   */
  readonly requestTimeoutMs: number;
  /**
   * How long an idle connection stays open. Over HTTP/1, it stays open one second longer than announced, so that the
   * server does not close it when the client sends a request at the last moment.
   */
  readonly keepAliveTimeoutMs: number;
  /**
   * How long a client may read less than 240 bytes a second, or 24 of an HTTP/2 stream, before its connection or stream is
   * reset. The reset may be late by a quarter of this time.
   */
  readonly sendTimeoutMs: number;
  /** Most open connections. Further ones are closed at once. */
  readonly maxConnections: number;
  /** Most open connections of one client address (IPv6: of a /64). */
  readonly maxConnectionsPerAddress: number;
  /** The bounds of the memory that waits for clients to read; when absent, there are none. */
  readonly unread?: UnreadLimits;
  /** When connections end because of their age; when absent, they do not. */
  readonly age?: ConnectionAge;
  /** Largest request line and headers together (HTTP/1), or SETTINGS_MAX_HEADER_LIST_SIZE (HTTP/2). */
  readonly maxHeaderBytes: number;
}

/** Functions whose names begin with `on` must not throw. */
export interface ListenerOptions extends ConnectionLimits {
  /**
   * Responds to a request, as soon as its header section is complete. With `Expect: 100-continue`, it must call `writeContinue`
   * before it reads the body (RFC 9110, section 10.1.1).
   */
  readonly handle: RequestHandler;
  /** Called with every request whose header section is complete, even if it is refused. It has its `X-Request-Id` already. */
  readonly onRequest?: RequestHandler;
  /**
   * Returns further headers of the response to a request that the parser has rejected.
   *
   * @param origin its Origin header, if the last bytes that were read have it
   */
  readonly rejectionHeaders?: (origin: string | undefined) => Readonly<Record<string, string>>;
  /**
   * Called once for each request, when its response is closed, whether or not it was sent.
   *
   * @param response undefined for a request that the parser has rejected, of which `rejected` says what is known
   */
  readonly onRequestEnd?: (
    record: RequestRecord,
    response: Exchange | undefined,
    rejected?: Rejected,
  ) => void;
  /** Responds to a request with an error that `handle` or a callback of the request has thrown, and reports it. */
  readonly onThrow: ThrowHandler;
  /** Proxies whose X-Forwarded-For header is trusted. They serve many clients, so limits by address do not hold for them. */
  readonly trustedProxies: BlockList;
  /** Without it, the port accepts cleartext only. */
  readonly tls?: TlsIdentity;
  /** Counts HTTP/2 floods by the client's address; when absent, only by connection. */
  readonly addressFloods?: AddressFloods;
  /**
   * Called when a connection was closed because of a limit. It is not called for an idle connection, for one that has sent no
   * request, nor for a request that took too long to arrive, whose record has the status 408.
   */
  readonly onConnectionDropped?: (cause: DropCause) => void;
  /** Called with errors of connections. */
  readonly onFault?: (error: unknown) => void;
}
