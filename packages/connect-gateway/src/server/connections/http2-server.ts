import { constants, performServerHandshake, type ServerHttp2Session } from "node:http2";
import type { Socket } from "node:net";
import { guardEmit, guarded } from "../../call/guard.ts";
import { setReadTimeout } from "../../call/read-timeout.ts";
import { addressGroup } from "../../http/client-address.ts";
import type { Connection as ExchangeConnection } from "../../http/exchange/exchange.ts";
import { Http2Exchange } from "../../http/exchange/http2-exchange.ts";
import { headerChars } from "../../http/exchange/unread.ts";
import { setRequestId } from "../../http/request-id.ts";
import { sendError } from "../../http/send-error.ts";
import { TickBudget } from "../../http/tick-budget.ts";
import type { ReadScheduler } from "../load/read-scheduler.ts";
import { createStallDetector, minBytesPerSecond, sentByStream } from "../load/stalls.ts";
import { announceSettings } from "../node-internals/http2-settings.ts";
import { handleOf } from "../node-internals/socket-handle.ts";
import { endRequest } from "../request-end.ts";
import { limitBodyTime } from "./body-time.ts";
import { limitAge } from "./connection-age.ts";
import { closeGracefully, endSession, roundTripMs } from "./http2-goaway.ts";
import {
  FloodLimit,
  maxConcurrentStreams,
  maxHeldStreams,
  maxOpenStreams,
  nativeLimits,
} from "./http2-limits.ts";
import type { ListenerOptions } from "./listener-options.ts";
import { protocolErrors } from "./protocol-errors.ts";
import type { UnreadLedger } from "./unread.ts";

/** How often connections are checked for floods without events, in milliseconds. */
const checkMs = 1_000;

/**
 * Most open streams of a connection whose requests begin at once. Further requests begin after node has processed the
 * rest of the read.
 */
const promptStreams = 100;

/** Slowest rate at which a client may read a stream, in bytes per second. All streams share the connection. */
const minStreamRate = minBytesPerSecond / 10;

/** Length of a header section that is as much work as a request, in characters. */
const charsOfWork = 1024;

/** The work of a DATA frame, in requests, and the length of its header in bytes (RFC 9113, section 4.1). */
const workOfPiece = 1 / 4;
const frameHeaderBytes = 9;

/** Streams of a connection that are ended in one step, and the work of such a step, in units of a short request. */
const closedAtOnce = 16;
const closedSteps = 32;

/** How long an idle session may take to close, in milliseconds. Longer than {@link roundTripMs}. */
const closeMs = 2_000;

export type Http2Server = ReturnType<typeof createHttp2Server>;

/** The state of a connection. */
interface Connection {
  readonly session: ServerHttp2Session;
  readonly flood: FloodLimit;
  readonly open: Set<Http2Exchange>;
}

/** An HTTP/2 server (RFC 9113) that gets its connections from a listener. */
export function createHttp2Server(
  options: ListenerOptions,
  reads: ReadScheduler,
  ledger?: UnreadLedger,
) {
  const connections = new Map<Socket, Connection>();
  const closings = new TickBudget("closing streams");
  const findStalled = createStallDetector<Http2Exchange>(options.sendTimeoutMs, minStreamRate);
  /** How long clients may take to acknowledge a GOAWAY, in milliseconds, once the server drains. */
  let drainMs: number | undefined;
  /** Requests of this event-loop tick whose bodies have not arrived. */
  let withoutBody: Http2Exchange[] = [];
  const limits = nativeLimits(options.maxHeaderBytes);
  const { onThrow } = options;
  const report = (error: unknown) => options.onFault?.(error);

  const check = setInterval(() => {
    for (const { session, flood } of connections.values()) if (!session.destroyed) flood.check();
  }, checkMs).unref();

  function start(socket: Socket): void {
    joinBuffered(socket);
    const session = performServerHandshake(socket, limits);
    session.on("error", ignore);
    guardEmit(session, (error) => {
      report(error);
      endSession(session);
    });
    const onOtherBytes = guarded(report, (bytes: number) => flood.count("otherBytes", bytes));
    const countWork = reads.add(socket, onOtherBytes);
    const onFlood = () => options.onConnectionDropped?.("HTTP2_FLOOD");
    const ofAddress = options.addressFloods?.(socket.remoteAddress);
    const flood = new FloodLimit(session, ofAddress, onFlood, countWork);
    const open = new Set<Http2Exchange>();
    /** Open streams that the client has not cancelled. */
    let uncancelled = 0;
    connections.set(socket, { session, flood, open });
    // PINGs do not keep a session open. Neither does an endless header section, for which node would wait after GOAWAY.
    const closeIdle = () => {
      if (open.size === 0) closeAndEnd(session, socket, open, roundTripMs);
    };
    const idle = setReadTimeout(guarded(report, closeIdle), options.keepAliveTimeoutMs);
    session.once("close", () => {
      connections.delete(socket);
      idle.cancel();
    });
    if (drainMs !== undefined) {
      // Not at once: node needs the session for what the socket has buffered.
      setImmediate(guarded(report, closeAndEnd), session, socket, open, drainMs);
    }
    if (options.age) {
      const retire = () => closeGracefully(session, socket, roundTripMs, report);
      const close = () => endSession(session);
      // A session without an open stream has closed after its last GOAWAY.
      limitAge({ socket, retire, closeIfIdle: ignore, close }, options.age, report);
    }
    const connection: ExchangeConnection = {
      socket,
      peer: socket.remoteAddress,
      trustedProxies: options.trustedProxies,
      unread: ledger?.accountOf(socket),
      onThrow,
      received: (bytes) => countWork(workOfPiece, bytes + frameHeaderBytes),
    };
    const cancelled = () => {
      uncancelled -= 1;
    };
    const closed = (exchange: Http2Exchange) => {
      const { stream } = exchange;
      open.delete(exchange);
      exchange.release();
      if (exchange.isAccepted) endRequest(exchange, options.onRequestEnd);
      if (!stream.aborted) uncancelled -= 1;
      if (open.size === 0 && !session.destroyed) idle.refresh();
      flood.streamClosed(stream, exchange.bytesSent);
    };
    session.on("stream", (stream, headers, _flags, rawHeaders: string[]) => {
      const chars = headerChars(rawHeaders);
      // As SETTINGS_MAX_HEADER_LIST_SIZE counts it (RFC 9113, section 6.5.2).
      const size = chars + 32 * (rawHeaders.length / 2);
      countWork(1 + Math.floor(chars / charsOfWork), size);
      const isTooLong = size > options.maxHeaderBytes;
      // After the client has acknowledged the limit, nghttp2 itself resets the streams that exceed it.
      if (isTooLong && session.pendingSettingsAck) flood.count("tooLong");
      if (flood.isClosing) {
        stream.on("error", ignore);
        return;
      }
      const exchange = new Http2Exchange(stream, headers, rawHeaders, connection);
      stream.on("aborted", cancelled).on("close", () => closed(exchange));
      open.add(exchange);
      uncancelled += 1;
      flood.streamOpened();
      if (uncancelled > maxOpenStreams || open.size > maxHeldStreams) {
        stream.close(constants.NGHTTP2_REFUSED_STREAM);
        flood.count("refused");
      } else if (flood.isCalm && open.size <= promptStreams) {
        begin(exchange, isTooLong);
      } else {
        // The next frames may cancel this request, or exceed the limit, so process them first.
        setImmediate(beginUnlessClosed, exchange, isTooLong, flood);
      }
    });
  }

  function beginUnlessClosed(exchange: Http2Exchange, isTooLong: boolean, flood: FloodLimit): void {
    if (!exchange.destroyed && !flood.isClosing) begin(exchange, isTooLong);
  }

  function begin(exchange: Http2Exchange, isTooLong: boolean): void {
    try {
      serve(exchange, isTooLong);
    } catch (error) {
      onThrow(exchange, error);
    }
  }

  function serve(exchange: Http2Exchange, isTooLong: boolean): void {
    const { headers, method } = exchange;
    exchange.isAccepted = true;
    setRequestId(exchange);
    options.onRequest?.(exchange);
    if (method === "CONNECT") {
      sendError(exchange, protocolErrors.connect);
    } else if (headers.expect !== undefined && headers.expect.toLowerCase() !== "100-continue") {
      sendError(exchange, protocolErrors.expectation);
    } else if (isTooLong) {
      sendError(exchange, protocolErrors.headerFields);
    } else {
      // Most bodies arrive in this event-loop tick, and need no limit of their time.
      if (!exchange.complete && withoutBody.push(exchange) === 1) setImmediate(limitBodies);
      options.handle(exchange);
    }
  }

  function limitBodies(): void {
    const exchanges = withoutBody;
    withoutBody = [];
    for (const each of exchanges) {
      if (!each.destroyed && !each.complete) limitBodyTime(each, options.requestTimeoutMs);
    }
  }

  /** Closes a session gracefully, and ends it when it has no open stream but does not close. */
  function closeAndEnd(
    session: ServerHttp2Session,
    socket: Socket,
    open: ReadonlySet<Http2Exchange>,
    waitMs: number,
  ): void {
    closeGracefully(session, socket, waitMs, report);
    const endIdle = () => (open.size === 0 ? endSession(session) : end.refresh());
    const end = setReadTimeout(guarded(report, endIdle), closeMs);
    session.once("close", () => end.cancel());
  }

  function* openExchanges(): Generator<Http2Exchange> {
    for (const { open } of connections.values()) yield* open;
  }

  return {
    /**
     * Ends the streams of a connection, a few in each event-loop tick, and then calls `reset`. Ending hundreds at once
     * would block the process.
     */
    close(socket: Socket, reset: () => void): void {
      const open = connections.get(socket)?.open ?? new Set();
      handleOf(socket)?.readStop();
      const address = addressGroup(socket.remoteAddress);
      const defer = () => closings.defer(address, closePart, closedSteps);
      const closePart = () => {
        for (const exchange of open.values().take(closedAtOnce)) {
          open.delete(exchange);
          exchange.stream.destroy();
        }
        if (open.size > 0) defer();
        else reset();
        return true;
      };
      defer();
    },
    /** Serves a connection, which may have unread bytes. */
    accept(socket: Socket): void {
      const begin = guarded(report, () => start(socket));
      announceSettings(socket, { maxConcurrentStreams }, limits.settings, () =>
        reads.begin(socket, begin),
      );
    },
    /** Number of open connections. */
    get connections() {
      return connections.size;
    },
    /**
     * Sends GOAWAY on every connection and closes each connection after its last stream.
     *
     * @param graceMs milliseconds until the listener destroys the remaining connections
     */
    drain(graceMs: number): void {
      drainMs = Math.min(roundTripMs, graceMs / 2);
      clearInterval(check);
      for (const [socket, { session, open }] of connections) {
        closeAndEnd(session, socket, open, drainMs);
      }
    },
    /** Resets streams whose clients have not read for too long. Call it at regular intervals. */
    resetStalled(): void {
      for (const { stream } of findStalled(openExchanges(), sentByStream)) {
        stream.close(constants.NGHTTP2_CANCEL);
      }
    },
  };
}

function ignore(): void {}

/**
 * Joins the pieces that a socket has buffered. A new session processes them one after another, and node throws when an
 * invalid one has ended the session before the last one.
 */
function joinBuffered(socket: Socket): void {
  const pieces: Buffer[] = [];
  for (let piece = socket.read(); piece !== null; piece = socket.read()) pieces.push(piece);
  if (pieces.length > 0) socket.unshift(Buffer.concat(pieces));
}
