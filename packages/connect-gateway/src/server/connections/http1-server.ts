import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { Socket } from "node:net";
import { guardEmit, guarded } from "../../call/guard.ts";
import type { ErrorResponse } from "../../http/error-response.ts";
import type { Connection as ExchangeConnection } from "../../http/exchange/exchange.ts";
import { Http1Exchange } from "../../http/exchange/http1-exchange.ts";
import { setRequestId } from "../../http/request-id.ts";
import { sendError } from "../../http/send-error.ts";
import { TickBudget } from "../../http/tick-budget.ts";
import { type ParserError, startChecks } from "../node-internals/http1-parser.ts";
import { endRequest } from "../request-end.ts";
import { limitAge } from "./connection-age.ts";
import { refuseAndClose } from "./http1-connection.ts";
import { Http1Pipeline } from "./http1-pipeline.ts";
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
interface Connection extends ExchangeConnection {
  /** The latest request; undefined when request and response are complete. */
  latest: Http1Exchange | undefined;
  /** Whether the connection closes after the latest response. Further bytes of the client are ignored then. */
  ending: boolean;
  /** Whether the connection closes after the next response, or the current ones. */
  isRetiring: boolean;
  readonly pipeline: Http1Pipeline;
}

/** An HTTP/1 server (RFC 9112) that gets its connections from a listener. */
export function createHttp1Server(
  options: ListenerOptions,
  lingering: LingeringClose,
  ledger?: UnreadLedger,
) {
  const { onThrow } = options;
  const report = (error: unknown) => options.onFault?.(error);
  // One entry for each connection, not for each request. V8 keeps deleted entries of a Map, and everything that they
  // refer to, until the next full garbage collection.
  const connections = new Map<Socket, Connection>();
  const pipelined = new TickBudget("pipelined requests");
  let retiring = false;
  let idleCheck: NodeJS.Timeout | undefined;

  const server = createServer({
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
    report(error);
    if (other instanceof Socket) other.destroy();
  });
  startChecks(server);

  function receive(
    request: IncomingMessage,
    response: ServerResponse,
    serveIt: (exchange: Http1Exchange, connection: Connection) => void = serve,
  ): void {
    const connection = connections.get(request.socket);
    if (connection === undefined || connection.ending) return;
    const exchange = new Http1Exchange(request, response, connection);
    setRequestId(exchange);
    if (connection.latest?.isLast) {
      end(connection);
      return;
    }
    // After a request with Upgrade, which is ignored, node would drop the rest of the read.
    if (connection.isRetiring || request.headers.upgrade !== undefined) {
      exchange.setHeader("connection", "close");
    }
    options.onRequest?.(exchange);
    connection.latest = exchange;
    connection.pipeline.begun(request);
    response.on("close", () => onResponseClose(exchange, connection));
    try {
      serveIt(exchange, connection);
    } catch (error) {
      onThrow(exchange, error);
    }
  }

  function onResponseClose(exchange: Http1Exchange, connection: Connection): void {
    exchange.release();
    endRequest(exchange, options.onRequestEnd);
    connection.pipeline.ended();
    if (exchange.complete && connection.latest === exchange) connection.latest = undefined;
  }

  function serve(exchange: Http1Exchange, connection: Connection): void {
    const { httpVersion, headers } = exchange;
    const http10 = httpVersion === "1.0";
    const coding = headers["transfer-encoding"];
    let error: ErrorResponse | undefined;
    if (!http10 && httpVersion !== "1.1") error = protocolErrors.version;
    else if (headers.host === undefined && !http10) error = protocolErrors.host;
    else if (coding !== undefined && coding.toLowerCase() !== "chunked") {
      error = protocolErrors.transferCoding;
    }
    if (error) {
      refuseAndEnd(exchange, connection, error);
      return;
    }
    // RFC 9112, section 6.1
    if (coding !== undefined && http10) exchange.setHeader("connection", "close");
    options.handle(exchange);
  }

  /** Refuses a request that the parser has accepted, and closes the connection after the response. */
  function refuseAndEnd(
    exchange: Http1Exchange,
    connection: Connection,
    error: ErrorResponse,
  ): void {
    end(connection);
    exchange.setHeader("connection", "close");
    sendError(exchange, error);
  }

  function end(connection: Connection): void {
    connection.ending = true;
    connection.pipeline.close();
  }

  /** Closes a connection after its current responses; when it is idle, after its next one. */
  function retire(connection: Connection): void {
    connection.isRetiring = true;
    const { latest } = connection;
    if (latest !== undefined && !latest.headersSent) latest.setHeader("connection", "close");
  }

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
    if (connection === undefined || connection.ending) return;
    end(connection);
    const headers = options.rejectionHeaders?.(read && originIn(read)) ?? {};
    const sent = { ...error, headers: { ...headers, ...error.headers } };
    refuseAndClose(socket, connection.latest, sent, lingering, options.onRequestEnd);
  }

  server.on("request", (request, response) => receive(request, response));
  server.on("checkContinue", (request, response) => receive(request, response));
  server.on("checkExpectation", (request, response) => {
    // A body may follow or not.
    receive(request, response, (exchange, connection) =>
      refuseAndEnd(exchange, connection, protocolErrors.expectation),
    );
  });
  server.on("connect", ({ socket }: IncomingMessage) => {
    socket.resume(); // Node does not read this socket any more. Its data is discarded.
    refuse(socket, protocolErrors.connect);
  });
  server.on("clientError", (error, socket: Socket) => {
    if (connections.get(socket)?.pipeline.takeOver(error)) return;
    const response = http1ClientError(error);
    const { rawPacket }: ParserError = error;
    if (response === undefined) socket.destroy();
    else refuse(socket, response, rawPacket);
  });

  return {
    /** Serves a connection, which may have unread bytes. */
    accept(socket: Socket): void {
      socket.once("close", () => connections.delete(socket));
      server.emit("connection", socket);
      const unread = ledger?.accountOf(socket);
      const connection: Connection = {
        socket,
        peer: socket.remoteAddress,
        trustedProxies: options.trustedProxies,
        onThrow,
        latest: undefined,
        ending: false,
        isRetiring: retiring,
        pipeline: new Http1Pipeline(socket, pipelined, unread),
        unread,
      };
      connections.set(socket, connection);
      if (!options.age) return;
      const aging = {
        socket,
        retire: () => retire(connection),
        // Otherwise the client could send a request just before the connection ends.
        closeIfIdle() {
          if (connection.latest !== undefined) return;
          end(connection);
          socket.destroySoon();
        },
        close: () => void socket.destroy(),
      };
      limitAge(aging, options.age, report);
    },
    /** Number of open connections. */
    get connections() {
      return connections.size;
    },
    /** Closes each connection after its next response, or after its current ones. Idle connections stay open. */
    retireAll,
    /** Closes idle connections now, and the others after their current responses. */
    drain(): void {
      retireAll();
      server.closeIdleConnections();
      const check = () => {
        server.closeIdleConnections();
        // The others without a request have sent a part of a header section, for which node would wait.
        for (const [socket, { latest }] of connections) {
          if (latest === undefined) refuse(socket, protocolErrors.requestTimeout);
        }
      };
      idleCheck = setInterval(guarded(report, check), idleCheckMs);
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
