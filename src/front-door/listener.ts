import {
  type AddressInfo,
  createServer as createCleartextServer,
  type Server,
  Socket,
} from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { guardEmit, guarded } from "../call/guard.ts";
import type { ThrowHandler } from "../http/node-http.ts";
import { sendError } from "./error-response.ts";
import { createHttp1Server, type Http1Server } from "./http1-server.ts";
import { createHttp2Server, type Http2Server } from "./http2-server.ts";
import { createLingeringClose, type LingeringClose } from "./linger.ts";
import type { ListenerOptions } from "./listener-options.ts";
import { protocolErrors } from "./protocol-errors.ts";
import { sniffProtocol } from "./protocol-sniffer.ts";
import { createStallDetector, resetConnection, sentByConnection, stallCheckMs } from "./stalls.ts";
import { createThrowHandler } from "./throw-handler.ts";

/** After how long without traffic the kernel asks whether the client is still there, in ms. */
const keepAliveProbeMs = 60_000;

const socketOptions = {
  noDelay: true,
  keepAlive: true,
  keepAliveInitialDelay: keepAliveProbeMs,
};

export interface Listener {
  /**
   * @param port 0 for any free one.
   * @returns The port, and a base URL that works on this machine.
   * @throws node's error when the address cannot be had: EADDRINUSE, EACCES, …
   */
  listen(port: number, host: string): Promise<{ port: number; url: string }>;
  /**
   * Accepts no more connections, closes those in no use, lets the others finish what is in flight,
   * and destroys what is left after `graceMs`. Further calls return the promise of the first.
   *
   * @returns When every connection is closed.
   */
  drain(graceMs: number): Promise<void>;
}

/**
 * One port for HTTP/1.1 and HTTP/2: in cleartext told apart by a connection's first bytes, over TLS
 * by ALPN (RFC 7301). Knows nothing of what is served.
 *
 * @throws RangeError when requestTimeoutMs is less than headersTimeoutMs
 */
export function createListener(options: ListenerOptions): Listener {
  const onThrow = throwHandlerOf(options);
  const lingering = createLingeringClose();
  const http1 = createHttp1Server(options, onThrow, lingering);
  const http2 = createHttp2Server(options, onThrow);
  const acceptor = createAcceptor(options, http1, http2, lingering);
  // In a worker, too, such a connection is closed and not passed on.
  Object.assign(acceptor, { maxConnections: options.maxConnections, dropMaxConnection: true });
  /** Open connections; of one in TLS both the outer socket and the inner. */
  const sockets = new Set<Socket>();
  const report = (error: unknown) => options.onFault?.(error);
  const track = (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    guardEmit(socket, (error) => {
      report(error);
      socket.destroy();
    });
  };
  acceptor.prependListener("connection", track);
  acceptor.prependListener("secureConnection", track);
  guardEmit(acceptor, (error, [, socket]) => {
    report(error);
    if (socket instanceof Socket) socket.destroy();
  });

  const stalls = createStallDetector<Socket>(options.sendTimeoutMs);
  const resetStalled = () => {
    for (const socket of stalls.look(sockets, sentByConnection)) resetConnection(socket);
    http2.resetStalled();
  };
  const stallCheck = setInterval(
    guarded(report, resetStalled),
    stallCheckMs(options.sendTimeoutMs),
  ).unref();

  let drained: Promise<void> | undefined;

  function drain(graceMs: number): Promise<void> {
    return new Promise((resolve) => {
      const destroyAll = () => {
        for (const socket of sockets) {
          socket.destroy();
        }
      };
      const grace = setTimeout(guarded(report, destroyAll), graceMs);
      acceptor.close(() => {
        clearTimeout(grace);
        clearInterval(stallCheck);
        http1.stop();
        resolve();
      });
      for (const socket of sockets) {
        if (socket.bytesRead === 0) {
          socket.destroy();
        }
      }
      http1.drain();
      http2.drain(graceMs);
      lingering.drain();
    });
  }

  return {
    listen: (port, host) =>
      new Promise((resolve, reject) => {
        acceptor.once("error", reject);
        acceptor.listen({ port, host }, () => {
          acceptor.off("error", reject);
          acceptor.on("error", report);
          const address = acceptor.address() as AddressInfo;
          resolve({ port: address.port, url: urlOf(address, options.tls !== undefined) });
        });
      }),
    drain: (graceMs) => {
      drained ??= drain(graceMs);
      return drained;
    },
  };
}

function createAcceptor(
  options: ListenerOptions,
  http1: Http1Server,
  http2: Http2Server,
  lingering: LingeringClose,
): Server {
  if (options.tls === undefined) {
    return createCleartextServer(socketOptions, (socket) => {
      if (options.connectionLimit?.accept(socket) === false) {
        socket.resetAndDestroy();
        return;
      }
      watchEnd(socket, lingering);
      sniffProtocol(socket, options.headersTimeoutMs, (protocol) => {
        (protocol === "http2" ? http2 : http1).accept(socket);
      });
    });
  }
  const acceptor = createTlsServer(
    {
      ...socketOptions,
      ...options.tls,
      ALPNProtocols: ["h2", "http/1.1"],
      handshakeTimeout: options.headersTimeoutMs,
    },
    (socket) => {
      watchEnd(socket, lingering);
      (socket.alpnProtocol === "h2" ? http2 : http1).accept(socket);
    },
  );
  acceptor.on("connection", (socket) => {
    if (options.connectionLimit?.accept(socket) === false) socket.resetAndDestroy();
  });
  acceptor.on("tlsClientError", (_error, socket) => socket.destroy());
  return acceptor;
}

/** Sees to it that a connection always comes to its end, and does so quietly. */
function watchEnd(socket: Socket, lingering: LingeringClose): void {
  socket.on("error", () => {}); // 'close' follows, and is what everything here waits for
  lingering.watch(socket);
}

function throwHandlerOf({ onThrow, onFault }: ListenerOptions): ThrowHandler {
  const report = (error: unknown) => onFault?.(error);
  return (
    onThrow ??
    createThrowHandler(report, (_request, response, error) => {
      report(error);
      sendError(response, protocolErrors.internal);
    })
  );
}

/** An unspecified address (0.0.0.0, ::) is not one to connect to. */
function urlOf({ address, family, port }: AddressInfo, secure: boolean): string {
  const unspecified = address === "0.0.0.0" || address === "::";
  const host = unspecified ? "localhost" : family === "IPv6" ? `[${address}]` : address;
  return `${secure ? "https" : "http"}://${host}:${port}`;
}
