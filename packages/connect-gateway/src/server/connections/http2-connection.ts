import {
  constants,
  type IncomingHttpHeaders,
  performServerHandshake,
  type ServerHttp2Session,
  type ServerHttp2Stream,
  type ServerOptions,
} from "node:http2";
import type { Socket } from "node:net";
import { guardEmit, guarded } from "../../call/guard.ts";
import { type ReadTimeout, setReadTimeout } from "../../call/read-timeout.ts";
import type { ErrorResponse } from "../../http/error-response.ts";
import type { Exchange } from "../../http/exchange/exchange.ts";
import { Http2Exchange } from "../../http/exchange/http2-exchange.ts";
import { headerChars, type Unread } from "../../http/exchange/unread.ts";
import { setRequestId } from "../../http/request-id.ts";
import { sendError } from "../../http/send-error.ts";
import type { CountWork, ReadScheduler } from "../load/read-scheduler.ts";
import { endRequest } from "../request-end.ts";
import { AcceptedConnection } from "./accepted-connection.ts";
import type { AgingConnection } from "./connection-age.ts";
import { closeGracefully, endSession, roundTripMs } from "./http2-goaway.ts";
import { FloodLimit, maxHeldStreams, maxOpenStreams } from "./http2-limits.ts";
import type { ListenerOptions } from "./listener-options.ts";
import { protocolErrors } from "./protocol-errors.ts";

/**
 * Most open streams of a connection whose requests begin at once. Further requests begin after node has processed all frames
 * of a read.
 */
const promptStreams = 100;

/** Length of a header section that is as much work as a request, in characters. */
const charsOfWork = 1024;

/** The work of a DATA frame, in requests, and the length of its header in bytes (RFC 9113, section 4.1). */
const workOfPiece = 1 / 4;
const frameHeaderBytes = 9;

/** How long an idle session may take to close, in milliseconds. Longer than {@link roundTripMs}. */
const closeMs = 2_000;

export interface Http2Options extends ListenerOptions {
  readonly native: ServerOptions;
  readonly reads: ReadScheduler;
  readonly limitBody: (exchange: Exchange) => void;
  readonly report: (error: unknown) => void;
}

export class Http2Connection extends AcceptedConnection implements AgingConnection {
  readonly session: ServerHttp2Session;
  readonly flood: FloodLimit;
  readonly open = new Set<Http2Exchange>();
  readonly #options: Http2Options;
  readonly #countWork: CountWork;
  readonly #idle: ReadTimeout;
  #uncancelled = 0;

  /** Begins the session of a connection, which may have unread bytes. */
  constructor(socket: Socket, options: Http2Options, unread: Unread | undefined) {
    super(socket, options, unread);
    const { report } = options;
    this.#options = options;
    joinBuffered(socket);
    this.session = performServerHandshake(socket, options.native);
    this.session.on("error", ignore);
    guardEmit(this.session, (error) => {
      report(error);
      this.close();
    });
    const onOtherBytes = (bytes: number) => this.flood.count("otherBytes", bytes);
    this.#countWork = options.reads.add(socket, guarded(report, onOtherBytes));
    this.flood = new FloodLimit(
      this.session,
      options.addressFloods?.(socket.remoteAddress),
      () => options.onConnectionDropped?.("HTTP2_FLOOD"),
      this.#countWork,
    );
    // PINGs do not keep a session open. Neither does an endless header section, for which node would wait after GOAWAY.
    const closeIdle = () => {
      if (this.open.size === 0) this.closeSoon(roundTripMs);
    };
    this.#idle = setReadTimeout(guarded(report, closeIdle), options.keepAliveTimeoutMs);
    this.session.once("close", () => this.#idle.cancel());
    this.session.on("stream", (stream, headers, _flags, rawHeaders: string[]) =>
      this.#receive(stream, headers, rawHeaders),
    );
  }

  received(bytes: number): void {
    this.#countWork(workOfPiece, bytes + frameHeaderBytes);
  }

  #receive(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, rawHeaders: string[]): void {
    const { flood, open } = this;
    const chars = headerChars(rawHeaders);
    // As SETTINGS_MAX_HEADER_LIST_SIZE counts it (RFC 9113, section 6.5.2).
    const size = chars + 32 * (rawHeaders.length / 2);
    this.#countWork(1 + Math.floor(chars / charsOfWork), size);
    const isTooLong = size > this.#options.maxHeaderBytes;
    // After the client has acknowledged the limit, nghttp2 itself resets the streams that exceed it.
    if (isTooLong && this.session.pendingSettingsAck) flood.count("tooLong");
    if (flood.isClosing) {
      stream.on("error", ignore);
      return;
    }
    const exchange = new Http2Exchange(stream, headers, rawHeaders, this);
    stream.on("aborted", this.#cancelled).on("close", () => this.#closed(exchange));
    open.add(exchange);
    this.#uncancelled += 1;
    flood.streams += 1;
    if (this.#uncancelled > maxOpenStreams || open.size > maxHeldStreams) {
      stream.close(constants.NGHTTP2_REFUSED_STREAM);
      flood.count("refused");
      return;
    }
    const error = faultOf(headers) ?? (isTooLong ? protocolErrors.headerFields : undefined);
    if (flood.isCalm && open.size <= promptStreams) this.begin(exchange, error);
    // The next frames may cancel this request, or exceed the limit, so process them first.
    else setImmediate(beginUnlessClosed, this, exchange, error);
  }

  readonly #cancelled = () => {
    this.#uncancelled -= 1;
  };

  #closed(exchange: Http2Exchange): void {
    const { stream } = exchange;
    this.open.delete(exchange);
    exchange.release();
    if (exchange.isAccepted) endRequest(exchange, this.#options.onRequestEnd);
    if (!stream.aborted) this.#uncancelled -= 1;
    if (this.open.size === 0 && !this.session.destroyed) this.#idle.refresh();
    this.flood.streamClosed(stream, exchange.bytesSent);
  }

  /** Serves a request. @param error why it is refused */
  begin(exchange: Http2Exchange, error: ErrorResponse | undefined): void {
    try {
      exchange.isAccepted = true;
      setRequestId(exchange);
      this.#options.onRequest?.(exchange);
      if (error) {
        sendError(exchange, error);
        return;
      }
      if (!exchange.complete) this.#options.limitBody(exchange);
      this.#options.handle(exchange);
    } catch (fault) {
      this.onThrow(exchange, fault);
    }
  }

  /** Closes the session gracefully, and ends it when it has no open stream but does not close. */
  closeSoon(waitMs: number): void {
    const { session, open, socket } = this;
    const { report } = this.#options;
    closeGracefully(session, socket, waitMs, report);
    const endIdle = () => (open.size === 0 ? this.close() : end.refresh());
    const end = setReadTimeout(guarded(report, endIdle), closeMs);
    session.once("close", () => end.cancel());
  }

  retire(): void {
    closeGracefully(this.session, this.socket, roundTripMs, this.#options.report);
  }

  /** Does nothing: a session without an open stream closes after its last GOAWAY. */
  closeIfIdle(): void {}

  close(): void {
    endSession(this.session);
  }
}

function beginUnlessClosed(
  connection: Http2Connection,
  exchange: Http2Exchange,
  error: ErrorResponse | undefined,
): void {
  if (!exchange.destroyed && !connection.flood.isClosing) connection.begin(exchange, error);
}

function faultOf({ ":method": method, expect }: IncomingHttpHeaders): ErrorResponse | undefined {
  if (method === "CONNECT") return protocolErrors.connect;
  const isKnown = expect === undefined || expect.toLowerCase() === "100-continue";
  return isKnown ? undefined : protocolErrors.expectation;
}

function ignore(): void {}

/** Joins the pieces that a socket has buffered: node throws when an invalid one has ended a new session before the last one. */
function joinBuffered(socket: Socket): void {
  const pieces: Buffer[] = [];
  for (let piece = socket.read(); piece !== null; piece = socket.read()) pieces.push(piece);
  if (pieces.length > 0) socket.unshift(Buffer.concat(pieces));
}
