import { constants, createServer, type ServerHttp2Session } from "node:http2";
import type { Socket } from "node:net";
import { guardEmit, guarded } from "../call/guard.ts";
import { setReadTimeout } from "../call/read-timeout.ts";
import { countBy } from "../http/counted.ts";
import { type Http2Request, type Http2Response, http2Exchange } from "../http/http2-exchange.ts";
import type { ThrowHandler } from "../http/node-http.ts";
import { identify } from "../http/request-id.ts";
import { endSession } from "./end-session.ts";
import { sendError } from "./error-response.ts";
import { closeGracefully, roundTripMs } from "./http2-goaway.ts";
import { FloodLimit, maxConcurrentStreams, maxOpenStreams, nativeLimits } from "./http2-limits.ts";
import { announceSettings } from "./http2-settings.ts";
import { LinkedList } from "./linked-list.ts";
import type { ListenerOptions } from "./listener-options.ts";
import { protocolErrors } from "./protocol-errors.ts";
import { createReadingTurns } from "./reading-turns.ts";
import { createStallDetector, sentByStream } from "./stalls.ts";

/** How often connections are checked for floods that cause no events, in ms. */
const checkMs = 1_000;

/** Open streams of a connection up to which a request begins before the rest of the read is looked at. */
const promptStreams = 100;

/** How long an idle session may take to close, in ms: longer than the first of the two steps. */
const closeMs = 2_000;

export interface Http2Server {
  /** Serves a connection, which may have bytes waiting to be read. */
  accept(socket: Socket): void;
  /**
   * Sends GOAWAY on every connection, in two steps, and closes it after its last stream.
   *
   * @param graceMs after how many milliseconds the connections will be destroyed
   */
  drain(graceMs: number): void;
  /** Resets the streams whose client has taken nothing for too long. To be called from time to time. */
  resetStalled(): void;
}

/** An HTTP/2 server (RFC 9113) that accepts connections from a listener instead of listening. */
export function createHttp2Server(options: ListenerOptions, onThrow: ThrowHandler): Http2Server {
  const { handle } = options;
  const sessions = new Map<ServerHttp2Session, Connected>();
  const turns = createReadingTurns();
  const open = new LinkedList<Http2Response>();
  const stalls = createStallDetector<Http2Response>(options.sendTimeoutMs);
  let draining = false;

  const limits = nativeLimits(options.maxHeaderBytes);
  const announced = { maxConcurrentStreams };
  const server = createServer(limits);

  const check = setInterval(() => {
    for (const [session, { flood }] of sessions) {
      if (!session.destroyed) {
        flood.check();
      }
    }
  }, checkMs).unref();

  const report = (error: unknown) => options.onFault?.(error);
  guardEmit(server, report);
  /** The socket of the session that node makes next: it does so as soon as it gets the socket. */
  let accepted: Socket | undefined;
  server.on("session", (session) => {
    const socket = accepted;
    guardEmit(session, (error) => {
      report(error);
      endSession(session);
    });
    if (draining || !socket) {
      session.close();
      return;
    }
    const flood = new FloodLimit(session, options.addressFloods?.(socket.remoteAddress));
    sessions.set(session, { flood, socket });
    session.once("close", () => sessions.delete(session));
    const countRead = turns.add(socket);
    const idle = closeWhenIdle(session, socket, options.keepAliveTimeoutMs, report);
    session.on("stream", (stream, headers, _flags, rawHeaders: string[]) => {
      if (flood.isClosing) {
        stream.on("error", ignore);
        return;
      }
      const { request, response } = http2Exchange(stream, headers, rawHeaders, onThrow);
      countRead();
      open.add(response);
      idle.opened();
      flood.streamOpened();
      stream.on("close", () => {
        open.remove(response);
        countBy(response, undefined);
        idle.closed();
        flood.streamClosed(stream, response.bytesWritten);
        // V8 lets closed streams live until the next collection of all memory, by the map that node has
        // had them in, and with them all that they refer to. So that is nothing.
        stream.removeAllListeners();
        stream.on("error", ignore);
      });
      if (idle.openStreams > maxOpenStreams) {
        stream.close(constants.NGHTTP2_REFUSED_STREAM);
        flood.streamRefused();
      } else if (flood.isCalm && idle.openStreams <= promptStreams) {
        begin(request, response);
      } else {
        // A client that cancels many calls may cancel this one with its next frame, and a client that sends very many
        // may exceed the limit: see first.
        setImmediate(beginUnlessClosed, request, response, flood);
      }
    });
  });

  function beginUnlessClosed(
    request: Http2Request,
    response: Http2Response,
    flood: FloodLimit,
  ): void {
    const { stream } = request;
    if (!(stream.destroyed || stream.closed || flood.isClosing)) {
      begin(request, response);
    }
  }

  function begin(request: Http2Request, response: Http2Response): void {
    try {
      handleStream(request, response);
    } catch (error) {
      onThrow(request, response, error);
    }
  }

  function handleStream(request: Http2Request, response: Http2Response): void {
    identify(request, response);
    options.onRequest?.(request, response);
    const { stream, headers, rawHeaders } = request;
    // Once the client has acknowledged the limit, nghttp2 resets the streams that exceed it.
    const unlimited = stream.session?.pendingSettingsAck === true;
    if (headers[":method"] === "CONNECT") {
      sendError(response, protocolErrors.connect);
    } else if (headers.expect !== undefined && headers.expect.toLowerCase() !== "100-continue") {
      sendError(response, protocolErrors.expectation);
    } else if (unlimited && headerListSize(rawHeaders) > options.maxHeaderBytes) {
      sendError(response, protocolErrors.headerFields);
    } else {
      if (!stream.endAfterHeaders) {
        watchBody(request, response, options.requestTimeoutMs);
      }
      handle(request, response);
    }
  }

  return {
    accept(socket) {
      announceSettings(socket, announced, limits.settings, () => {
        accepted = socket;
        server.emit("connection", socket);
      });
    },
    drain(graceMs) {
      draining = true;
      clearInterval(check);
      for (const [session, { socket }] of sessions) {
        closeGracefully(session, socket, Math.min(roundTripMs, graceMs / 2), report);
      }
    },
    resetStalled() {
      for (const { stream } of stalls.look(open, sentByStream)) {
        stream.close(constants.NGHTTP2_CANCEL);
      }
    },
  };
}

/** What is known of a session. */
interface Connected {
  readonly flood: FloodLimit;
  /** That the session was made of. */
  readonly socket: Socket;
}

/** Streams of a session, counted. */
interface IdleCount {
  readonly openStreams: number;
  opened(): void;
  closed(): void;
}

/**
 * Ends a session that has had no stream open for `idleMs`. PINGs do not keep it, and neither does a
 * header block without end, for which alone node would wait after GOAWAY.
 */
function closeWhenIdle(
  session: ServerHttp2Session,
  socket: Socket,
  idleMs: number,
  report: (error: unknown) => void,
): IdleCount {
  let openStreams = 0;
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
    get openStreams() {
      return openStreams;
    },
    opened() {
      openStreams += 1;
    },
    closed() {
      openStreams -= 1;
      if (openStreams === 0 && !session.destroyed) {
        idle.refresh();
      }
    },
  };
}

/** Limits the time a body takes to arrive. */
function watchBody(request: Http2Request, response: Http2Response, timeoutMs: number): void {
  const { stream } = request;
  const check = () => {
    if (!stream.destroyed && stream.state.remoteClose !== 1) {
      const begun = stream.headersSent && !stream.writableFinished;
      if (!begun) {
        sendError(response, protocolErrors.requestTimeout);
      }
      request.cut();
      stream.close(begun ? constants.NGHTTP2_CANCEL : constants.NGHTTP2_NO_ERROR);
    }
  };
  const deadline = setReadTimeout(
    guarded((error) => response.fail(error), check),
    timeoutMs,
  );
  stream.on("close", () => deadline.cancel());
}

function ignore(): void {}

/** As SETTINGS_MAX_HEADER_LIST_SIZE counts it: 32 octets are added for each field. RFC 9113, 6.5.2 */
function headerListSize(rawHeaders: readonly string[]): number {
  const octets = rawHeaders.reduce((sum, nameOrValue) => sum + nameOrValue.length, 0);
  return octets + 32 * (rawHeaders.length / 2);
}
