import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { Socket } from "node:net";
import { guardEmit, guarded } from "../../call/guard.ts";
import type { ErrorResponse } from "../../http/error-response.ts";
import { TickBudget } from "../../http/tick-budget.ts";
import { type ParserError, startChecks } from "../node-internals/http1-parser.ts";
import { limitAge } from "./connection-age.ts";
import { Http1Connection } from "./http1-connection.ts";
import type { LingeringClose } from "./linger.ts";
import type { ListenerOptions } from "./listener-options.ts";
import { http1ClientError, protocolErrors } from "./protocol-errors.ts";
import type { UnreadLedger } from "./unread.ts";

/** How often connections are checked for timeouts, in milliseconds. A timeout can be this late. */
const timeoutCheckMs = 1_000;
/** How often a draining server closes connections that have become idle, in milliseconds. */
const idleCheckMs = 100;

/** An HTTP/1 server (RFC 9112) that gets its connections from a listener. */
export interface Http1Server {
  /** Serves a connection, which may have unread bytes. */
  accept(socket: Socket): void;
  readonly connections: number;
  /** Closes each connection after its next response, or after its current ones. Idle connections stay open. */
  retireAll(): void;
  /** Closes idle connections now, and the others after their current responses. */
  drain(): void;
  /** Stops the timers. Call it when all connections are closed. */
  stop(): void;
}

export function createHttp1Server(
  options: ListenerOptions,
  lingering: LingeringClose,
  ledger?: UnreadLedger,
): Http1Server {
  const report = (error: unknown) => options.onFault?.(error);
  // One entry for each connection, not for each request. V8 keeps deleted entries of a Map, and everything that they
  // refer to, until the next full garbage collection.
  const connections = new Map<Socket, Http1Connection>();
  const common = { ...options, lingering, pipelined: new TickBudget("pipelined requests") };
  let isRetiring = false;
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

  const receive = (request: IncomingMessage, response: ServerResponse, error?: ErrorResponse) =>
    connections.get(request.socket)?.receive(request, response, error);
  server.on("request", (request, response) => receive(request, response));
  server.on("checkContinue", (request, response) => receive(request, response));
  // A body may follow or not.
  server.on("checkExpectation", (request, response) =>
    receive(request, response, protocolErrors.expectation),
  );
  server.on("connect", ({ socket }: IncomingMessage) => {
    socket.resume(); // Node does not read this socket any more. Its data is discarded.
    connections.get(socket)?.reject(protocolErrors.connect);
  });
  server.on("clientError", (error: ParserError, socket: Socket) => {
    const connection = connections.get(socket);
    if (connection?.pipeline.takeOver(error)) return;
    const response = http1ClientError(error);
    if (response === undefined) socket.destroy();
    else connection?.reject(response, error.rawPacket);
  });

  function retireAll(): void {
    isRetiring = true;
    for (const connection of connections.values()) connection.retire();
  }

  return {
    accept(socket) {
      socket.once("close", () => connections.delete(socket));
      server.emit("connection", socket);
      const connection = new Http1Connection(socket, common, ledger?.accountOf(socket));
      if (isRetiring) connection.retire();
      connections.set(socket, connection);
      if (options.age) limitAge(connection, options.age, report);
    },
    get connections() {
      return connections.size;
    },
    retireAll,
    drain() {
      retireAll();
      server.closeIdleConnections();
      const check = () => {
        server.closeIdleConnections();
        // The others without a request have sent a part of a header section, for which node would wait.
        for (const connection of connections.values()) {
          if (connection.latest === undefined) connection.reject(protocolErrors.requestTimeout);
        }
      };
      idleCheck = setInterval(guarded(report, check), idleCheckMs);
    },
    stop() {
      clearInterval(idleCheck);
      server.close();
    },
  };
}
