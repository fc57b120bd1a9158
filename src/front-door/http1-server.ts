import { createServer, type IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { guardEmit, guarded } from "../call/guard.ts";
import { countBy } from "../http/counted.ts";
import { Http1Request, Http1Response } from "../http/http1-exchange.ts";
import type { ThrowHandler } from "../http/node-http.ts";
import { identify } from "../http/request-id.ts";
import type { HttpError } from "../rest/http-error.ts";
import { sendError } from "./error-response.ts";
import { refuseAndClose } from "./http1-errors.ts";
import { Http1Pipeline } from "./http1-pipeline.ts";
import type { LingeringClose } from "./linger.ts";
import type { ListenerOptions } from "./listener-options.ts";
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
  latest: Http1Response | undefined;
  /** Its last response is decided: whatever else the client sends is ignored. */
  ending: boolean;
  readonly pipeline: Http1Pipeline;
}

/** An HTTP/1 server (RFC 9112) that accepts connections from a listener instead of listening. */
export function createHttp1Server(
  options: ListenerOptions,
  onThrow: ThrowHandler,
  lingering: LingeringClose,
): Http1Server {
  const { handle } = options;
  // An entry a connection, not a request: V8 lets entries that come and go by the thousand, and all that
  // they refer to, live until the next collection of all memory.
  const connections = new Map<Socket, Connection>();
  let draining = false;
  let idleCheck: NodeJS.Timeout | undefined;

  const server = createServer({
    IncomingMessage: Http1Request,
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
  guardEmit(server, (error, [, , other]) => {
    if (other instanceof Http1Response) {
      onThrow(other.req, other, error);
    } else {
      options.onFault?.(error);
      if (other instanceof Socket) other.destroy();
    }
  });
  // node watches for time-outs and idle connections only once it believes that the server listens.
  server.emit("listening");

  /** @returns the request's connection; undefined for one whose end is decided */
  function begin(request: Http1Request, response: Http1Response): Connection | undefined {
    request.response = response;
    response.onThrow = onThrow;
    identify(request, response);
    const connection = connections.get(request.socket);
    if (connection === undefined || connection.ending) {
      return undefined;
    }
    options.onRequest?.(request, response);
    if (draining) {
      const before = connection.latest;
      if (before !== undefined && !before.headersSent) {
        before.shouldKeepAlive = true; // only the last response may close the connection
      }
      response.shouldKeepAlive = false;
    }
    connection.latest = response;
    connection.pipeline.begun(request);
    response.on("close", forget);
    return connection;
  }

  function forget(this: Http1Response): void {
    countBy(this, undefined);
    const connection = connections.get(this.req.socket);
    connection?.pipeline.ended();
    if (this.req.complete && connection?.latest === this) {
      connection.latest = undefined;
      options.held?.idle(this.req.socket);
    }
  }

  function receive(request: Http1Request, response: Http1Response): void {
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
  function answerLast(connection: Connection, response: Http1Response, error: HttpError): void {
    end(connection);
    response.shouldKeepAlive = false;
    sendError(response, error);
  }

  function end(connection: Connection): void {
    connection.ending = true;
    connection.pipeline.close();
  }

  /** Refuses what the parser did not accept. It repeats its complaint with every further byte. */
  function refuse(socket: Socket, error: HttpError): void {
    const connection = connections.get(socket);
    if (connection !== undefined && !connection.ending) {
      end(connection);
      refuseAndClose(socket, connection.latest, error, lingering);
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
    if (connections.get(socket)?.pipeline.takeOver(error)) return;
    const answer = http1ClientError(error);
    if (answer === undefined) {
      socket.destroy();
    } else {
      refuse(socket, answer);
    }
  });

  return {
    accept(socket) {
      socket.once("close", () => {
        connections.delete(socket);
        options.held?.closed(socket);
      });
      server.emit("connection", socket);
      const pipeline = new Http1Pipeline(socket);
      connections.set(socket, { latest: undefined, ending: false, pipeline });
    },
    drain() {
      draining = true;
      options.held?.stop();
      for (const { latest } of connections.values()) {
        if (latest !== undefined) {
          latest.shouldKeepAlive = false;
        }
      }
      server.closeIdleConnections();
      idleCheck = setInterval(
        guarded(
          (error) => options.onFault?.(error),
          () => server.closeIdleConnections(),
        ),
        idleCheckMs,
      );
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
