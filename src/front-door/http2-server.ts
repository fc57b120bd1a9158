import {
  constants,
  createServer,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from "node:http2";
import type { Socket } from "node:net";
import { type Http2Request, type Http2Response, http2Exchange } from "../http/http2-exchange.ts";
import { sendError } from "./error-response.ts";
import { destroyIfLingering } from "./linger.ts";
import type { ListenerOptions, RequestHandler } from "./listener-options.ts";
import { protocolErrors } from "./protocol-errors.ts";

/**
 * Of one connection. More than the least that RFC 9113, 6.5.2 recommends (100), because clients that
 * multiplex everything over one connection wait beyond it; with at most 64 KiB received ahead of a
 * handler for each stream it bounds what one connection can make the server hold.
 */
const maxConcurrentStreams = 250;

/**
 * Resets allowed at once, before the connection is ended (CVE-2023-44487): twice all the streams,
 * because a client that gives up may rightly cancel everything it has open.
 */
const streamResetBurst = 2 * maxConcurrentStreams;
/** Resets allowed per second beyond the burst. */
const streamResetRate = 33;

/** Frames that break the protocol, and streams refused, before the connection is ended. */
const maxViolations = 100;

export interface Http2Server {
  /** Serves a connection, which may have bytes waiting to be read. */
  accept(socket: Socket): void;
  /** Sends GOAWAY on every connection (RFC 9113, 6.8) and closes it after its last stream. */
  drain(): void;
}

/** An HTTP/2 server (RFC 9113) that accepts connections from a listener instead of listening. */
export function createHttp2Server(options: ListenerOptions, handle: RequestHandler): Http2Server {
  const sessions = new Set<ServerHttp2Session>();
  let draining = false;

  const server = createServer({
    settings: { maxConcurrentStreams, maxHeaderListSize: options.maxHeaderBytes },
    streamResetBurst,
    streamResetRate,
    maxSessionInvalidFrames: maxViolations,
    maxSessionRejectedStreams: maxViolations,
  });

  server.on("session", (session) => {
    if (draining) {
      session.close();
      return;
    }
    sessions.add(session);
    session.once("close", () => sessions.delete(session));
    const idle = closeWhenIdle(session, options.keepAliveTimeoutMs);
    session.on("stream", (stream, headers, _flags, rawHeaders: string[]) => {
      idle.opened();
      stream.on("close", () => {
        idle.closed();
        // V8 lets closed streams live until the next collection of all memory, by the map that node has
        // had them in, and with them all that they refer to. So that is nothing.
        stream.removeAllListeners();
        stream.on("error", ignore);
      });
      begin(stream, headers, rawHeaders);
    });
  });

  function begin(
    stream: ServerHttp2Stream,
    headers: IncomingHttpHeaders,
    rawHeaders: string[],
  ): void {
    const { request, response } = http2Exchange(stream, headers, rawHeaders);
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
      server.emit("connection", socket);
    },
    drain() {
      draining = true;
      for (const session of sessions) {
        session.close();
      }
    },
  };
}

/** Streams of a session, counted. */
interface IdleCount {
  opened(): void;
  closed(): void;
}

/**
 * Ends a session that has had no stream open for `idleMs`. PINGs do not keep it, and neither does a
 * header block without end, for which alone node would wait after GOAWAY.
 */
function closeWhenIdle(session: ServerHttp2Session, idleMs: number): IdleCount {
  let openStreams = 0;
  const idle = setTimeout(() => {
    if (openStreams === 0) {
      session.close();
      destroyIfLingering(session);
    }
  }, idleMs);
  session.once("close", () => clearTimeout(idle));
  return {
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
  const deadline = setTimeout(() => {
    if (!stream.destroyed && stream.state.remoteClose !== 1) {
      const begun = stream.headersSent && !stream.writableFinished;
      if (!begun) {
        sendError(response, protocolErrors.requestTimeout);
      }
      request.cut();
      stream.close(begun ? constants.NGHTTP2_CANCEL : constants.NGHTTP2_NO_ERROR);
    }
  }, timeoutMs);
  stream.on("close", () => clearTimeout(deadline));
}

function ignore(): void {}

/** As SETTINGS_MAX_HEADER_LIST_SIZE counts it: 32 octets are added for each field. RFC 9113, 6.5.2 */
function headerListSize(rawHeaders: readonly string[]): number {
  const octets = rawHeaders.reduce((sum, nameOrValue) => sum + nameOrValue.length, 0);
  return octets + 32 * (rawHeaders.length / 2);
}
