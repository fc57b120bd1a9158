import { constants, createServer, type ServerHttp2Session } from "node:http2";
import type { Socket } from "node:net";
import { addressGroup } from "../../access/client-address.ts";
import { guardEmit, guarded } from "../../call/guard.ts";
import { setReadTimeout } from "../../call/read-timeout.ts";
import {
  type Http2Connection,
  type Http2Response,
  http2Exchange,
} from "../../http/exchange/http2-exchange.ts";
import type { ThrowHandler } from "../../http/exchange/node-http.ts";
import { headerChars } from "../../http/exchange/unread.ts";
import { setRequestId } from "../../http/request-id.ts";
import { sendError } from "../../http/send-error.ts";
import { TickBudget } from "../../http/tick-budget.ts";
import type { BeginInTurn } from "../load/connection-turns.ts";
import { LinkedList } from "../load/linked-list.ts";
import { createReadScheduler } from "../load/read-scheduler.ts";
import { createStallDetector, minBytesPerSecond, sentByStream } from "../load/stalls.ts";
import { endSession } from "../node-internals/end-session.ts";
import { hasWholeBody, startSession } from "../node-internals/http2-session.ts";
import { announceSettings } from "../node-internals/http2-settings.ts";
import { useStreamTable } from "../node-internals/http2-streams.ts";
import { handleOf } from "../node-internals/socket-handle.ts";
import { endRequest } from "../request-end.ts";
import { limitBodyTime } from "./body-time.ts";
import { limitAge } from "./connection-age.ts";
import { closeGracefully, roundTripMs } from "./http2-goaway.ts";
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

/** The work of a DATA frame, in requests. */
const workOfPiece = 1 / 4;

/** Length of the header of a frame, in bytes (RFC 9113, section 4.1). */
const frameHeaderBytes = 9;

/** Streams of a connection that are ended in one step. */
const closedAtOnce = 16;

/** The work of such a step, in units of a short request. */
const closedSteps = 32;

/** How long an idle session may take to close, in milliseconds. Longer than {@link roundTripMs}. */
const closeMs = 2_000;

export type Http2Server = ReturnType<typeof createHttp2Server>;

/** An HTTP/2 server (RFC 9113) that accepts connections from a listener instead of listening. */
export function createHttp2Server(
  options: ListenerOptions,
  onThrow: ThrowHandler,
  beginInTurn: BeginInTurn,
  ledger?: UnreadLedger,
) {
  const { handle } = options;
  const connections = new Map<Socket, Connection>();
  const readScheduler = createReadScheduler();
  const closings = new TickBudget("closing streams");
  const findStalled = createStallDetector<Http2Response>(options.sendTimeoutMs, minStreamRate);
  let draining = false;
  /** Requests of this event-loop tick whose bodies have not arrived. */
  let withoutBody: Http2Response[] = [];

  const limits = nativeLimits(options.maxHeaderBytes);
  const announced = { maxConcurrentStreams };
  const server = createServer(limits);

  const check = setInterval(() => {
    for (const { session, flood } of connections.values()) {
      if (!session.destroyed) {
        flood.check();
      }
    }
  }, checkMs).unref();

  const report = (error: unknown) => options.onFault?.(error);
  guardEmit(server, report);
  /** The socket of the next session. */
  let accepted: Socket | undefined;
  server.on("session", (session) => {
    const socket = accepted;
    useStreamTable(session);
    guardEmit(session, (error) => {
      report(error);
      endSession(session);
    });
    if (draining || !socket) {
      // After node has processed what the socket has buffered, for which it needs the session.
      process.nextTick(guarded(report, () => session.close()));
      return;
    }
    const unread = ledger?.accountOf(socket);
    const onOtherBytes = guarded(report, (bytes: number) => flood.otherBytes(bytes));
    const countWork = readScheduler.add(socket, onOtherBytes);
    const onFlood = () => options.onConnectionDropped?.("HTTP2_FLOOD");
    const ofAddress = options.addressFloods?.(socket.remoteAddress);
    const flood = new FloodLimit(session, ofAddress, onFlood, countWork);
    const open = new LinkedList<Http2Response>();
    connections.set(socket, { session, flood, open });
    session.once("close", () => connections.delete(socket));
    const idle = closeWhenIdle(session, socket, options.keepAliveTimeoutMs, report);
    if (options.age) {
      const retire = () => closeGracefully(session, socket, roundTripMs, report);
      const close = () => endSession(session);
      // A session without an open stream has closed after its last GOAWAY.
      const closeIfIdle = () => {};
      limitAge({ socket, id: session, retire, closeIfIdle, close }, options.age, report);
    }
    const connection: Http2Connection = {
      socket,
      unread,
      onThrow,
      received: (bytes) => countWork(workOfPiece, bytes + frameHeaderBytes),
      cancelled: idle.cancelled,
      closed(response) {
        const { stream } = response;
        open.remove(response);
        response.release();
        if (response.isAccepted) endRequest(response, options.onRequestEnd);
        idle.closed(stream.aborted);
        flood.streamClosed(stream, response.bytesSent);
      },
    };
    session.on("stream", (stream, headers, _flags, rawHeaders: string[]) => {
      const chars = headerChars(rawHeaders);
      const size = listSize(chars, rawHeaders);
      countWork(1 + Math.floor(chars / charsOfWork), size);
      // After the client has acknowledged the limit, nghttp2 itself resets the streams that exceed it.
      if (size > options.maxHeaderBytes && session.pendingSettingsAck) flood.headersTooLong();
      if (flood.isClosing) {
        stream.on("error", ignore);
        return;
      }
      const response = http2Exchange(stream, headers, rawHeaders, connection, chars);
      open.add(response);
      idle.opened();
      flood.streamOpened();
      if (idle.uncancelled() > maxOpenStreams || idle.openStreams() > maxHeldStreams) {
        stream.close(constants.NGHTTP2_REFUSED_STREAM);
        flood.streamRefused();
      } else if (flood.isCalm && idle.openStreams() <= promptStreams) {
        begin(response);
      } else {
        // The next frames may cancel this request, or exceed the limit, so process them first.
        setImmediate(beginUnlessClosed, response, flood);
      }
    });
  });

  function beginUnlessClosed(response: Http2Response, flood: FloodLimit): void {
    const { stream } = response;
    if (!(stream.destroyed || stream.closed || flood.isClosing)) begin(response);
  }

  function begin(response: Http2Response): void {
    try {
      serve(response);
    } catch (error) {
      onThrow(response.req, response, error);
    }
  }

  function serve(response: Http2Response): void {
    const request = response.req;
    const { stream, headers, rawHeaders, headerChars: chars } = request;
    response.isAccepted = true;
    setRequestId(request, response);
    options.onRequest?.(request, response);
    if (headers[":method"] === "CONNECT") {
      sendError(response, protocolErrors.connect);
    } else if (headers.expect !== undefined && headers.expect.toLowerCase() !== "100-continue") {
      sendError(response, protocolErrors.expectation);
    } else if (listSize(chars, rawHeaders) > options.maxHeaderBytes) {
      sendError(response, protocolErrors.headerFields);
    } else {
      if (!hasWholeBody(stream)) limitBodySoon(response);
      handle(request, response);
    }
  }

  /** Limits the time of a body, unless it arrives in this event-loop tick, as most bodies do. */
  function limitBodySoon(response: Http2Response): void {
    if (withoutBody.push(response) === 1) setImmediate(limitBodies);
  }

  function limitBodies(): void {
    const responses = withoutBody;
    withoutBody = [];
    for (const response of responses) {
      const { stream } = response;
      if (!stream.destroyed && !hasWholeBody(stream)) {
        limitBodyTime(response, options.requestTimeoutMs);
      }
    }
  }

  function closeInParts(
    open: LinkedList<Http2Response>,
    address: string | undefined,
    reset: () => void,
  ): void {
    const closePart = () => {
      for (let left = closedAtOnce; left > 0 && open.first; left--) {
        const { first } = open;
        open.remove(first);
        first.stream.destroy();
      }
      if (open.first) closings.defer(address, closePart, closedSteps);
      else reset();
      return true;
    };
    closings.defer(address, closePart, closedSteps);
  }

  function* openResponses(): Generator<Http2Response> {
    for (const { open } of connections.values()) yield* open;
  }

  return {
    /**
     * Ends the streams of a connection, a few in each event-loop tick, and then calls `reset`. Ending hundreds at once
     * would block the process.
     */
    close(socket: Socket, reset: () => void): void {
      const open = connections.get(socket)?.open;
      handleOf(socket)?.readStop();
      closeInParts(open ?? new LinkedList(), addressGroup(socket.remoteAddress), reset);
    },
    /** Serves a connection, which may have unread bytes. */
    accept(socket: Socket): void {
      announceSettings(socket, announced, limits.settings, () => {
        beginInTurn(socket, () => {
          accepted = socket;
          startSession(server, socket);
        });
      });
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
      draining = true;
      clearInterval(check);
      for (const [socket, { session, open }] of connections) {
        closeGracefully(session, socket, Math.min(roundTripMs, graceMs / 2), report);
        // For a part of a header section, node would wait after GOAWAY.
        const endIdle = () => {
          if (open.first === undefined) endSession(session);
        };
        const end = setInterval(guarded(report, endIdle), closeMs);
        session.once("close", () => clearInterval(end));
      }
    },
    /** Resets streams whose clients have not read for too long. Call it at regular intervals. */
    resetStalled(): void {
      for (const { stream } of findStalled(openResponses(), sentByStream)) {
        stream.close(constants.NGHTTP2_CANCEL);
      }
    },
  };
}

/** The state of a connection. */
interface Connection {
  readonly session: ServerHttp2Session;
  readonly flood: FloodLimit;
  readonly open: LinkedList<Http2Response>;
}

/**
 * Closes a session that has had no open stream for `idleMs`. PINGs do not keep it open. Neither does an endless header
 * section, for which node would wait after GOAWAY.
 *
 * @returns counts the open streams of the session
 */
function closeWhenIdle(
  session: ServerHttp2Session,
  socket: Socket,
  idleMs: number,
  report: (error: unknown) => void,
) {
  let openStreams = 0;
  let uncancelled = 0;
  const close = () => {
    if (openStreams === 0) {
      closeGracefully(session, socket, roundTripMs, report);
      const end = setReadTimeout(guarded(report, destroyIdle), closeMs);
      session.once("close", () => end.cancel());
    }
  };
  const destroyIdle = () => {
    if (openStreams === 0) endSession(session);
  };
  const idle = setReadTimeout(guarded(report, close), idleMs);
  session.once("close", () => idle.cancel());
  return {
    openStreams: () => openStreams,
    /** Open streams that the client has not cancelled. */
    uncancelled: () => uncancelled,
    opened(): void {
      openStreams += 1;
      uncancelled += 1;
    },
    cancelled(): void {
      uncancelled -= 1;
    },
    /** @param wasCancelled whether `cancelled` was called for the stream */
    closed(wasCancelled: boolean): void {
      openStreams -= 1;
      if (!wasCancelled) uncancelled -= 1;
      if (openStreams === 0 && !session.destroyed) {
        idle.refresh();
      }
    },
  };
}

function ignore(): void {}

/**
 * Returns the size of headers as SETTINGS_MAX_HEADER_LIST_SIZE counts it, with 32 octets for each (RFC 9113, section
 * 6.5.2).
 *
 * @param chars the number of characters of all names and values
 */
function listSize(chars: number, rawHeaders: readonly string[]): number {
  return chars + 32 * (rawHeaders.length / 2);
}
