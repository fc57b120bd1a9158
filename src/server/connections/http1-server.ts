import { createServer, type IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { guardEmit, guarded } from "../../call/guard.ts";
import type { ErrorResponse } from "../../http/error-response.ts";
import { Http1Request, Http1Response } from "../../http/exchange/http1-exchange.ts";
import type { ThrowHandler } from "../../http/exchange/node-http.ts";
import type { Unread } from "../../http/exchange/unread.ts";
import { setRequestId } from "../../http/request-id.ts";
import { sendError } from "../../http/send-error.ts";
import { TickBudget } from "../../http/tick-budget.ts";
import type { BeginInTurn } from "../load/connection-turns.ts";
import { startChecks } from "../node-internals/http1-connection.ts";
import type { ParserError } from "../node-internals/http1-parser.ts";
import { endRequest } from "../request-end.ts";
import { limitAge } from "./connection-age.ts";
import { refuseAndClose } from "./http1-errors.ts";
import { Http1Pipeline, maxPipelined } from "./http1-pipeline.ts";
import type { LingeringClose } from "./linger.ts";
import type { ListenerOptions } from "./listener-options.ts";
import { http1ClientError, protocolErrors } from "./protocol-errors.ts";
import type { UnreadLedger } from "./unread.ts";

/** How often connections are checked for timeouts, in milliseconds. A timeout can be this late. */
const timeoutCheckMs = 1_000;
/** How often a draining server closes connections that have become idle, in milliseconds. */
const idleCheckMs = 100;

export type Http1Server = ReturnType<typeof createHttp1Server>;

/** The state of a connection. */
interface Connection {
  /** The response to the latest request; undefined when request and response are complete. */
  latest: Http1Response | undefined;
  /** Whether the connection closes after the latest response. Further bytes of the client are ignored then. */
  ending: boolean;
  /**
   * How many further requests of a pipelining client are accepted after the current one, before the connection closes;
   * undefined when it stays open.
   */
  left: number | undefined;
  readonly pipeline: Http1Pipeline;
  readonly unread: Unread | undefined;
}

/** An HTTP/1 server (RFC 9112) that accepts connections from a listener instead of listening. */
export function createHttp1Server(
  options: ListenerOptions,
  onThrow: ThrowHandler,
  lingering: LingeringClose,
  beginInTurn: BeginInTurn,
  ledger?: UnreadLedger,
) {
  const { handle } = options;
  // One entry for each connection, not for each request. V8 keeps deleted entries of a Map, and everything that they
  // refer to, until the next full garbage collection.
  const connections = new Map<Socket, Connection>();
  const pipelined = new TickBudget("pipelined requests");
  let retiring = false;
  let idleCheck: NodeJS.Timeout | undefined;

  const server = createServer({
    IncomingMessage: Http1Request,
    ServerResponse: Http1Response,
    headersTimeout: options.headersTimeoutMs,
    requestTimeout: options.requestTimeoutMs,
    connectionsCheckingInterval: Math.min(timeoutCheckMs, options.headersTimeoutMs),
    keepAliveTimeout: options.keepAliveTimeoutMs,
    maxHeaderSize: options.maxHeaderBytes,
    requireHostHeader: false, // Node's own error response has no body.
  });
  // No limit: node would silently drop further headers. Their total size is limited already.
  server.maxHeadersCount = 0;
  guardEmit(server, (error, [, , other]) => {
    if (other instanceof Http1Response) {
      onThrow(other.req, other, error);
    } else {
      options.onFault?.(error);
      if (other instanceof Socket) other.destroy();
    }
  });
  startChecks(server);

  /** @returns the connection of a request; undefined when the connection accepts no more requests */
  function begin(request: Http1Request, response: Http1Response): Connection | undefined {
    request.response = response;
    response.onThrow = onThrow;
    setRequestId(request, response);
    const connection = connections.get(request.socket);
    if (connection === undefined || connection.ending) {
      return undefined;
    }
    const { latest, left } = connection;
    if (left !== undefined) {
      const isCloseSent = latest?.headersSent && !latest.shouldKeepAlive;
      // At 0, the client pipelines without a pause. The latest response closes the connection.
      if (isCloseSent || left === 0) {
        end(connection);
        return undefined;
      }
      if (latest !== undefined && !latest.headersSent) {
        latest.shouldKeepAlive = true; // Only the last response closes the connection.
      }
      response.shouldKeepAlive = false;
      connection.left = left - 1;
    }
    options.onRequest?.(request, response);
    connection.latest = response;
    response.unread = connection.unread;
    connection.pipeline.begun(request);
    response.on("close", onResponseClose);
    return connection;
  }

  function onResponseClose(this: Http1Response): void {
    this.release();
    endRequest(this, options.onRequestEnd);
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
    if (!http10 && request.httpVersion !== "1.1") {
      refuseAndEnd(connection, response, protocolErrors.version);
      return;
    }
    const hosts = countHosts(request.rawHeaders);
    if (hosts > 1 || (hosts === 0 && !http10)) {
      refuseAndEnd(connection, response, protocolErrors.host);
      return;
    }
    const coding = request.headers["transfer-encoding"];
    if (coding !== undefined) {
      if (coding.toLowerCase() !== "chunked") {
        refuseAndEnd(connection, response, protocolErrors.transferCoding);
        return;
      }
      // RFC 9112, section 6.1
      if (http10) {
        response.shouldKeepAlive = false;
        connection.left = 0;
      }
    }
    handle(request, response);
  }

  /** Refuses a request that the parser has accepted, and closes the connection after the response. */
  function refuseAndEnd(
    connection: Connection,
    response: Http1Response,
    error: ErrorResponse,
  ): void {
    end(connection);
    response.shouldKeepAlive = false;
    sendError(response, error);
  }

  function end(connection: Connection): void {
    connection.ending = true;
    connection.pipeline.close();
  }

  /** Closes a connection after its current responses; when it is idle, after its next one. */
  function retire(connection: Connection): void {
    connection.left ??= maxPipelined;
    const { latest } = connection;
    if (latest !== undefined && !latest.headersSent) latest.shouldKeepAlive = false;
  }

  /** Closes a connection without an open request. Otherwise the client could send one just before the connection ends. */
  function closeIfIdle(socket: Socket, connection: Connection): void {
    if (connection.latest !== undefined) return;
    end(connection);
    socket.destroySoon();
  }

  /** Closes each connection after its next response, or after its current ones. Idle connections stay open. */
  function retireAll(): void {
    retiring = true;
    for (const connection of connections.values()) retire(connection);
  }

  /**
   * Refuses a request that the parser has rejected. The parser repeats its error with every further byte.
   *
   * @param read the bytes in which the parser has found the error
   */
  function refuse(socket: Socket, error: ErrorResponse, read?: Buffer): void {
    const connection = connections.get(socket);
    if (connection !== undefined && !connection.ending) {
      end(connection);
      const headers = options.rejectionHeaders?.(read && originIn(read)) ?? {};
      const sent = { ...error, headers: { ...headers, ...error.headers } };
      refuseAndClose(socket, connection.latest, sent, lingering, options.onRequestEnd);
    }
  }

  server.on("request", receive);
  server.on("checkContinue", receive);
  server.on("checkExpectation", (request, response) => {
    const connection = begin(request, response);
    if (connection !== undefined) {
      refuseAndEnd(connection, response, protocolErrors.expectation); // A body may follow or not.
    }
  });
  server.on("connect", (request: IncomingMessage) => {
    request.socket.resume(); // Node does not read this socket any more. Its data is discarded.
    refuse(request.socket, protocolErrors.connect);
  });
  server.on("clientError", (error, socket: Socket) => {
    if (connections.get(socket)?.pipeline.takeOver(error)) return;
    const response = http1ClientError(error);
    if (response === undefined) {
      socket.destroy();
    } else {
      const { rawPacket }: ParserError = error;
      refuse(socket, response, rawPacket);
    }
  });

  function accept(socket: Socket): void {
    socket.once("close", () => connections.delete(socket));
    server.emit("connection", socket);
    const unread = ledger?.accountOf(socket);
    const onMalformed = () => refuse(socket, protocolErrors.malformed);
    const pipeline = new Http1Pipeline(socket, onMalformed, pipelined, unread);
    const connection: Connection = {
      latest: undefined,
      ending: false,
      left: undefined,
      pipeline,
      unread,
    };
    connections.set(socket, connection);
    if (retiring) retire(connection);
    if (options.age) {
      const aging = {
        socket,
        id: socket,
        retire: () => retire(connection),
        closeIfIdle: () => closeIfIdle(socket, connection),
        close: () => void socket.destroy(),
      };
      limitAge(aging, options.age, (error) => options.onFault?.(error));
    }
  }

  return {
    /** Serves a connection, which may have unread bytes. */
    accept: (socket: Socket) => beginInTurn(socket, () => accept(socket)),
    /** Number of open connections. */
    get connections() {
      return connections.size;
    },
    retireAll,
    /** Closes idle connections now, and the others after their current responses. */
    drain(): void {
      options.held?.stop();
      retireAll();
      server.closeIdleConnections();
      idleCheck = setInterval(
        guarded(
          (error) => options.onFault?.(error),
          () => {
            server.closeIdleConnections();
            // The others without a request have sent a part of a header section, for which node would wait.
            for (const [socket, { latest }] of connections) {
              if (latest === undefined) refuse(socket, protocolErrors.requestTimeout);
            }
          },
        ),
        idleCheckMs,
      );
    },
    /** Stops the timers. Call it when all connections are closed. */
    stop(): void {
      clearInterval(idleCheck);
      server.close();
    },
  };
}

/** Returns the last Origin header in bytes of header sections; undefined when there is none. */
function originIn(read: Buffer): string | undefined {
  const lines = read.toString("latin1").matchAll(/\r\norigin:[ \t]*([^\r\n]*)/gi);
  return [...lines].at(-1)?.[1]?.trimEnd();
}

/** Returns the number of Host headers. `headers` has only the first one. */
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
