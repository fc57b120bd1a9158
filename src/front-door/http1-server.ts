import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { HttpError } from "../rest/http-error.ts";
import { sendError } from "./error-response.ts";
import { refuseAndClose } from "./http1-errors.ts";
import type { ListenerOptions, RequestHandler } from "./listener-options.ts";
import { http1ClientError, protocolErrors } from "./protocol-errors.ts";

/** How often connections are checked for time-outs: what a limit of seconds may be late by, in ms. */
const timeoutCheckMs = 1_000;
/** How often a draining server looks for connections that have become idle, in ms. */
const idleCheckMs = 100;

export interface Http1Server {
  /** Serves a connection, which may have bytes waiting to be read. */
  accept(socket: Socket): void;
  /** Closes idle connections now and the others after the response in progress. */
  drain(): void;
  /** Stops the timers, when no connection is left. */
  stop(): void;
}

/** An HTTP/1 server (RFC 9112) that accepts connections from a listener instead of listening. */
export function createHttp1Server(options: ListenerOptions, handle: RequestHandler): Http1Server {
  /** Response to the latest request of a connection, as long as that exchange is unfinished. */
  const latest = new Map<Socket, ServerResponse>();
  /** Connections whose last response is decided: whatever else the client sends is ignored. */
  const ending = new WeakSet<Socket>();
  let draining = false;
  let idleCheck: NodeJS.Timeout | undefined;

  const server = createServer({
    headersTimeout: options.headersTimeoutMs,
    requestTimeout: options.requestTimeoutMs,
    connectionsCheckingInterval: Math.min(timeoutCheckMs, options.headersTimeoutMs),
    keepAliveTimeout: options.keepAliveTimeoutMs,
    maxHeaderSize: options.maxHeaderBytes,
    requireHostHeader: false, // node's own answer has no body
  });
  // The number of header fields needs no limit beside that of their size, and node's would silently
  // drop the fields beyond it.
  server.maxHeadersCount = 0;
  // node watches for time-outs and idle connections only once it believes that the server listens.
  server.emit("listening");

  function begin({ socket }: IncomingMessage, response: ServerResponse): void {
    if (draining) {
      const before = latest.get(socket);
      if (before !== undefined && !before.headersSent) {
        before.shouldKeepAlive = true; // only the last response may close the connection
      }
      response.shouldKeepAlive = false;
    }
    latest.set(socket, response);
    response.once("close", () => {
      if (response.req.complete && latest.get(socket) === response) {
        latest.delete(socket);
      }
    });
  }

  function receive(request: IncomingMessage, response: ServerResponse): void {
    if (ending.has(request.socket)) {
      return;
    }
    begin(request, response);
    const http10 = request.httpVersion === "1.0";
    const hosts = countHosts(request.rawHeaders);
    if (hosts > 1 || (hosts === 0 && !http10)) {
      answerLast(request, response, protocolErrors.host);
      return;
    }
    if (http10 && request.headers["transfer-encoding"] !== undefined) {
      response.shouldKeepAlive = false; // RFC 9112, 6.1
    }
    handle(request, response);
  }

  /** Answers a request that the parser accepted, and closes the connection after it. */
  function answerLast(request: IncomingMessage, response: ServerResponse, error: HttpError): void {
    ending.add(request.socket);
    response.shouldKeepAlive = false;
    sendError(response, error);
  }

  /** Refuses what the parser did not accept. It repeats its complaint with every further byte. */
  function refuse(socket: Socket, error: HttpError): void {
    if (!ending.has(socket)) {
      ending.add(socket);
      refuseAndClose(socket, latest.get(socket), error);
    }
  }

  server.on("request", receive);
  server.on("checkContinue", receive);
  server.on("checkExpectation", (request, response) => {
    if (!ending.has(request.socket)) {
      begin(request, response);
      answerLast(request, response, protocolErrors.expectation); // the body may follow or not
    }
  });
  server.on("connect", (request: IncomingMessage) => {
    request.socket.resume(); // node has let go of it; whatever follows is discarded
    refuse(request.socket, protocolErrors.connect);
  });
  server.on("clientError", (error, socket: Socket) => {
    const answer = http1ClientError(error);
    if (answer === undefined) {
      socket.destroy();
    } else {
      refuse(socket, answer);
    }
  });

  return {
    accept(socket) {
      socket.once("close", () => latest.delete(socket));
      server.emit("connection", socket);
    },
    drain() {
      draining = true;
      for (const response of latest.values()) {
        response.shouldKeepAlive = false;
      }
      server.closeIdleConnections();
      idleCheck = setInterval(() => server.closeIdleConnections(), idleCheckMs);
    },
    stop() {
      clearInterval(idleCheck);
      server.close();
    },
  };
}

/** How many Host fields there are. `headers` would show only the first. */
function countHosts(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === 4 && name.toLowerCase() === "host") {
      count += 1;
    }
  }
  return count;
}
