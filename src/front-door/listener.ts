import {
  type AddressInfo,
  createServer as createCleartextServer,
  type Server,
  type Socket,
} from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { sendError } from "./error-response.ts";
import { createHttp1Server, type Http1Server } from "./http1-server.ts";
import { createHttp2Server, type Http2Server } from "./http2-server.ts";
import { destroyIfLingering } from "./linger.ts";
import type { ListenerOptions, RequestHandler } from "./listener-options.ts";
import { protocolErrors } from "./protocol-errors.ts";
import { sniffProtocol } from "./protocol-sniffer.ts";

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
  const handle = withFaultsAnswered(options);
  const http1 = createHttp1Server(options, handle);
  const http2 = createHttp2Server(options, handle);
  const acceptor = createAcceptor(options, http1, http2);
  /** Open connections; of one in TLS both the outer socket and the inner. */
  const sockets = new Set<Socket>();
  const track = (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  };
  acceptor.on("connection", track);
  acceptor.on("secureConnection", track);

  let drained: Promise<void> | undefined;

  function drain(graceMs: number): Promise<void> {
    return new Promise((resolve) => {
      const grace = setTimeout(() => {
        for (const socket of sockets) {
          socket.destroy();
        }
      }, graceMs);
      acceptor.close(() => {
        clearTimeout(grace);
        http1.stop();
        resolve();
      });
      for (const socket of sockets) {
        if (socket.bytesRead === 0) {
          socket.destroy();
        }
      }
      http1.drain();
      http2.drain();
    });
  }

  return {
    listen: (port, host) =>
      new Promise((resolve, reject) => {
        acceptor.once("error", reject);
        acceptor.listen({ port, host }, () => {
          acceptor.off("error", reject);
          acceptor.on("error", (error) => options.onFault?.(error));
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

function createAcceptor(options: ListenerOptions, http1: Http1Server, http2: Http2Server): Server {
  if (options.tls === undefined) {
    return createCleartextServer(socketOptions, (socket) => {
      watchEnd(socket);
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
      watchEnd(socket);
      (socket.alpnProtocol === "h2" ? http2 : http1).accept(socket);
    },
  );
  acceptor.on("tlsClientError", (_error, socket) => socket.destroy());
  return acceptor;
}

/** Sees to it that a connection always comes to its end, and does so quietly. */
function watchEnd(socket: Socket): void {
  socket.on("error", () => {}); // 'close' follows, and is what everything here waits for
  socket.once("finish", () => destroyIfLingering(socket));
}

function withFaultsAnswered({ handle, onFault }: ListenerOptions): RequestHandler {
  return (request, response) => {
    try {
      handle(request, response);
    } catch (error) {
      onFault?.(error);
      sendError(response, protocolErrors.internal);
    }
  };
}

/** An unspecified address (0.0.0.0, ::) is not one to connect to. */
function urlOf({ address, family, port }: AddressInfo, secure: boolean): string {
  const unspecified = address === "0.0.0.0" || address === "::";
  const host = unspecified ? "localhost" : family === "IPv6" ? `[${address}]` : address;
  return `${secure ? "https" : "http"}://${host}:${port}`;
}
