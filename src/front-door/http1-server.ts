import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { Http1Response } from "../http/http1-response.ts";
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

/** What is known of a connection. */
interface Connection {
  /** Response to the latest request, as long as that exchange is unfinished. */
  latest: ServerResponse | undefined;
  /** Its last response is decided: whatever else the client sends is ignored. */
  ending: boolean;
}

/** An HTTP/1 server (RFC 9112) that accepts connections from a listener instead of listening. */
export function createHttp1Server(options: ListenerOptions, handle: RequestHandler): Http1Server {
  // An entry a connection, not a request: V8 lets entries that come and go by the thousand, and all that
  // they refer to, live until the next collection of all memory.
  const connections = new Map<Socket, Connection>();
  let draining = false;
  let idleCheck: NodeJS.Timeout | undefined;

  const server = createServer({
    ServerResponse: Http1Response,
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

  /** @returns the request's connection; undefined for one whose end is decided */
  function begin({ socket }: IncomingMessage, response: ServerResponse): Connection | undefined {
    const connection = connections.get(socket);
    if (connection === undefined || connection.ending) {
      return undefined;
    }
    if (draining) {
      const before = connection.latest;
      if (before !== undefined && !before.headersSent) {
        before.shouldKeepAlive = true; // only the last response may close the connection
      }
      response.shouldKeepAlive = false;
    }
    connection.latest = response;
    response.on("close", forget);
    return connection;
  }

  function forget(this: ServerResponse): void {
    const connection = connections.get(this.req.socket);
    if (this.req.complete && connection?.latest === this) {
      connection.latest = undefined;
    }
  }

  function receive(request: IncomingMessage, response: ServerResponse): void {
    const connection = begin(request, response);
    if (connection === undefined) {
      return;
    }
    const http10 = request.httpVersion === "1.0";
    const hosts = countHosts(request.rawHeaders);
    if (hosts > 1 || (hosts === 0 && !http10)) {
      answerLast(connection, response, protocolErrors.host);
      return;
    }
    if (http10 && request.headers["transfer-encoding"] !== undefined) {
      response.shouldKeepAlive = false; // RFC 9112, 6.1
    }
    handle(request, response);
  }

  /** Answers a request that the parser accepted, and closes the connection after it. */
  function answerLast(connection: Connection, response: ServerResponse, error: HttpError): void {
    connection.ending = true;
    response.shouldKeepAlive = false;
    sendError(response, error);
  }

  /** Refuses what the parser did not accept. It repeats its complaint with every further byte. */
  function refuse(socket: Socket, error: HttpError): void {
    const connection = connections.get(socket);
    if (connection !== undefined && !connection.ending) {
      connection.ending = true;
      refuseAndClose(socket, connection.latest, error);
    }
  }

  server.on("request", receive);
  server.on("checkContinue", receive);
  server.on("checkExpectation", (request, response) => {
    const connection = begin(request, response);
    if (connection !== undefined) {
      answerLast(connection, response, protocolErrors.expectation); // the body may follow or not
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
      connections.set(socket, { latest: undefined, ending: false });
      socket.once("close", () => connections.delete(socket));
      server.emit("connection", socket);
    },
    drain() {
      draining = true;
      for (const { latest } of connections.values()) {
        if (latest !== undefined) {
          latest.shouldKeepAlive = false;
        }
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
