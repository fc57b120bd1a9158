import { constants, performServerHandshake, type ServerHttp2Session } from "node:http2";
import type { Socket } from "node:net";
import { addressGroup } from "../../access/client-address.ts";
import { guardEmit, guarded } from "../../call/guard.ts";
import { setReadTimeout } from "../../call/read-timeout.ts";
import {
  type Http2Connection,
  type Http2Request,
  type Http2Response,
  http2Exchange,
} from "../../http/exchange/http2-exchange.ts";
import type { ThrowHandler } from "../../http/exchange/node-http.ts";
import { setRequestId } from "../../http/request-id.ts";
import { sendError } from "../../http/send-error.ts";
import { TickBudget } from "../../http/tick-budget.ts";
import type { BeginInTurn } from "../load/connection-turns.ts";
import { createReadScheduler } from "../load/read-scheduler.ts";
import { createStallDetector, minBytesPerSecond, sentByStream } from "../load/stalls.ts";
import { handleOf } from "../node-internals/socket-handle.ts";
import { endRequest } from "../request-end.ts";
import { limitBodyTime } from "./body-time.ts";
import { limitAge } from "./connection-age.ts";
import { limitFrames, sessionOptions } from "./http2-limits.ts";
import type { ListenerOptions } from "./listener-options.ts";
import { protocolErrors } from "./protocol-errors.ts";
import type { UnreadLedger } from "./unread.ts";

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

/** How long a session without an open stream may take to close after GOAWAY, in milliseconds. */
const closeMs = 1_000;

export type Http2Server = ReturnType<typeof createHttp2Server>;

/** An HTTP/2 server (RFC 9113) that gets its connections from a listener. */
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
  const ofSessions = sessionOptions(options.maxHeaderBytes);
  let draining = false;
  /** Requests of this event-loop tick. */
  let arrived: Http2Response[] = [];

  const report = (error: unknown) => options.onFault?.(error);

  function begin(socket: Socket): void {
    joinBuffered(socket);
    const session = performServerHandshake(socket, ofSessions);
    const open = new Set<Http2Response>();
    session.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code?.startsWith("ERR_HTTP2")) options.onConnectionDropped?.("HTTP2_ERROR");
    });
    guardEmit(session, (error) => {
      report(error);
      endSession(session);
    });
    if (draining) {
      // After node has processed what the socket has buffered, for which it needs the session.
      process.nextTick(guarded(report, () => session.close()));
      return;
    }
    connections.set(socket, { session, open });
    session.once("close", () => connections.delete(socket));
    const unread = ledger?.accountOf(socket);
    unread?.buffers(function* () {
      for (const { buffered } of open) yield buffered;
    });
    const onOtherBytes = guarded(report, (bytes: number) => countOther(bytes));
    const countWork = readScheduler.add(socket, onOtherBytes);
    const countOther = limitFrames(session, countWork, () => {
      session.goaway(constants.NGHTTP2_ENHANCE_YOUR_CALM);
      // From now on, node refuses streams before it creates objects for them.
      session.close();
      const error = new Error("The client sends PING, SETTINGS or WINDOW_UPDATE frames too often.");
      endSession(session, error, constants.NGHTTP2_ENHANCE_YOUR_CALM);
      options.onConnectionDropped?.("HTTP2_ERROR");
    });
    const retireIdle = () => {
      if (open.size === 0) retire({ session, open });
    };
    const idle = setReadTimeout(guarded(report, retireIdle), options.keepAliveTimeoutMs);
    session.once("close", () => idle.cancel());
    if (options.age) {
      const aging = {
        socket,
        id: session,
        retire: () => retire({ session, open }),
        // A session without an open stream has closed after GOAWAY.
        closeIfIdle() {},
        close: () => endSession(session),
      };
      limitAge(aging, options.age, report);
    }
    const connection: Http2Connection = {
      socket,
      unread,
      onThrow,
      received: (bytes) => countWork(workOfPiece, bytes + frameHeaderBytes),
      closed(response) {
        open.delete(response);
        response.release();
        if (response.isAccepted) endRequest(response, options.onRequestEnd);
        if (open.size === 0 && !session.destroyed) idle.refresh();
      },
    };
    session.on("stream", (stream, headers, _flags, rawHeaders: string[]) => {
      const response = http2Exchange(stream, headers, rawHeaders, connection);
      const { headerChars } = response.req;
      countWork(1 + Math.floor(headerChars / charsOfWork), listSize(response.req));
      open.add(response);
      // The next frames of a read may cancel the request, or bring its body. So they are processed first.
      if (arrived.push(response) === 1) setImmediate(serveArrived);
    });
  }

  /**
   * Sends GOAWAY with the last request that is served, and closes the session after its open streams. Node would also
   * wait for the end of a header section that has begun.
   */
  function retire({ session, open }: Connection): void {
    session.close();
    const endIdle = () => {
      if (open.size === 0) endSession(session);
    };
    const end = setInterval(guarded(report, endIdle), closeMs);
    session.once("close", () => clearInterval(end));
  }

  function serveArrived(): void {
    const responses = arrived;
    arrived = [];
    for (const response of responses) {
      const { stream } = response;
      if (stream.destroyed || stream.closed) continue;
      try {
        serve(response);
      } catch (error) {
        onThrow(response.req, response, error);
      }
    }
  }

  function serve(response: Http2Response): void {
    const request = response.req;
    const { headers } = request;
    response.isAccepted = true;
    setRequestId(request, response);
    options.onRequest?.(request, response);
    if (headers[":method"] === "CONNECT") {
      sendError(response, protocolErrors.connect);
    } else if (headers.expect !== undefined && headers.expect.toLowerCase() !== "100-continue") {
      sendError(response, protocolErrors.expectation);
    } else if (listSize(request) > options.maxHeaderBytes) {
      sendError(response, protocolErrors.headerFields);
    } else {
      if (!request.hasWholeBody) limitBodyTime(response, options.requestTimeoutMs);
      handle(request, response);
    }
  }

  function closeInParts(
    open: Set<Http2Response>,
    address: string | undefined,
    reset: () => void,
  ): void {
    const closePart = () => {
      let left = closedAtOnce;
      for (const response of open) {
        open.delete(response);
        response.stream.destroy();
        left -= 1;
        if (left === 0) break;
      }
      if (open.size > 0) closings.defer(address, closePart, closedSteps);
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
      closeInParts(open ?? new Set(), addressGroup(socket.remoteAddress), reset);
    },
    /** Serves a connection, which may have unread bytes. */
    accept: (socket: Socket) => beginInTurn(socket, () => begin(socket)),
    /** Number of open connections. */
    get connections() {
      return connections.size;
    },
    /** Sends GOAWAY on every connection and closes each connection after its last stream. */
    drain(): void {
      draining = true;
      for (const connection of connections.values()) retire(connection);
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
  readonly open: Set<Http2Response>;
}

/**
 * Joins the pieces that a socket has buffered. A new session processes them one after another, and node throws when an
 * invalid one has ended the session before the last one.
 */
function joinBuffered(socket: Socket): void {
  const pieces: Buffer[] = [];
  for (let piece = socket.read(); piece !== null; piece = socket.read()) pieces.push(piece);
  if (pieces.length > 0) socket.unshift(pieces.length > 1 ? Buffer.concat(pieces) : pieces[0]);
}

/**
 * Destroys a session in the next phase of the event loop. A listener that destroys it at once can crash the process,
 * because node may still process the frames of a read (nodejs/node#64850).
 *
 * @param error the error of the session's streams
 * @param code the error code in the GOAWAY frame (RFC 9113, section 7)
 */
function endSession(session: ServerHttp2Session, error?: Error, code?: number): void {
  setImmediate(() => session.destroy(error, code ?? constants.NGHTTP2_NO_ERROR));
}

/**
 * Returns the size of headers as SETTINGS_MAX_HEADER_LIST_SIZE counts it, with 32 octets for each (RFC 9113, section
 * 6.5.2).
 */
function listSize({ headerChars, rawHeaders }: Http2Request): number {
  return headerChars + 32 * (rawHeaders.length / 2);
}
