import {
  type AddressInfo,
  createServer as createCleartextServer,
  type Server,
  Socket,
} from "node:net";
import { createServer as createTlsServer, TLSSocket, Server as TlsServer } from "node:tls";
import { guardEmit, guarded } from "../../call/guard.ts";
import { integer } from "../../call/option-checks.ts";
import { setReadTimeout } from "../../call/read-timeout.ts";
import { startTimer } from "../../call/timer.ts";
import { resetConnection, setTcpSocket, tcpSocketOf } from "../../http/exchange/tcp-socket.ts";
import { createReadScheduler } from "../load/read-scheduler.ts";
import { returnMemory } from "../load/return-memory.ts";
import {
  createStallDetector,
  minBytesPerSecond,
  sentByConnection,
  stallCheckMs,
} from "../load/stalls.ts";
import { createConnectionLimit } from "./connection-limit.ts";
import { createHttp1Server } from "./http1-server.ts";
import { createHttp2Server } from "./http2-server.ts";
import { createLingeringClose, type LingeringClose } from "./linger.ts";
import { checkTls, type ListenerOptions, type TlsIdentity } from "./listener-options.ts";
import { UnreadLedger } from "./unread.ts";

/** How long a connection has no traffic before the kernel checks whether the client still exists, in milliseconds. */
const keepAliveProbeMs = 60_000;

/** Connections that may wait to be accepted. The kernel drops the beginning of others, and their clients wait 1 s. */
const backlog = 4_096;

const checkPort = integer(0, 65_535);

const socketOptions = {
  noDelay: true,
  keepAlive: true,
  keepAliveInitialDelay: keepAliveProbeMs,
};

export type Listener = ReturnType<typeof createListener>;

/**
 * Creates one port for HTTP/1.1 and HTTP/2. In cleartext, it detects the protocol by the first bytes of a connection;
 * over TLS, by ALPN (RFC 7301).
 *
 * @throws RangeError when requestTimeoutMs is less than headersTimeoutMs
 */
export function createListener(options: ListenerOptions) {
  const lingering = createLingeringClose();
  const report = (error: unknown) => options.onFault?.(error);
  const stopReturning = returnMemory(report);
  const ledger =
    options.unread &&
    new UnreadLedger(options.unread, options.trustedProxies, report, (socket, bound) => {
      options.onConnectionDropped?.(bound);
      http2.close(socket, () => resetConnection(socket));
    });
  const reads = createReadScheduler();
  const http1 = createHttp1Server(options, lingering, ledger);
  const http2 = createHttp2Server(options, reads, ledger);
  const accept = (socket: Socket, isHttp2: boolean) => {
    const begin = guarded(report, () => (isHttp2 ? http2 : http1).accept(socket));
    if (isHttp2) begin();
    else reads.begin(socket, begin);
  };
  /** Sockets of connections whose protocol is not known, because they have sent nothing, or a part of their beginning. */
  const undecided = new Set<Socket>();
  const acceptor = createAcceptor(options, accept, lingering, undecided);
  // A worker closes a connection beyond the limit too, instead of passing it to another worker.
  Object.assign(acceptor, { maxConnections: options.maxConnections, dropMaxConnection: true });
  /** The sockets of open connections. A TLS connection has two, an outer and an inner one. */
  const sockets = new Set<Socket>();
  const track = (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    guardEmit(socket, (error) => {
      report(error);
      socket.destroy();
    });
  };
  acceptor.on("drop", () => options.onConnectionDropped?.("MAX_CONNECTIONS"));
  acceptor.prependListener("connection", track);
  acceptor.prependListener("secureConnection", track);
  guardEmit(acceptor, (error, [, socket]) => {
    report(error);
    if (socket instanceof Socket) socket.destroy();
  });

  const findStalled = createStallDetector<Socket>(options.sendTimeoutMs, minBytesPerSecond);
  const sentBy = (socket: Socket) => {
    // Of a TLS connection, the inner socket is checked, with the bytes of the outer one.
    const isOuter = acceptor instanceof TlsServer && !(socket instanceof TLSSocket);
    return isOuter ? undefined : sentByConnection(tcpSocketOf(socket), ledger?.queuedFor(socket));
  };
  const resetStalled = async () => {
    await ledger?.check();
    for (const socket of findStalled(sockets, sentBy)) resetConnection(socket);
    http2.resetStalled();
  };
  const stallCheck = setInterval(
    guarded(report, () => void resetStalled().catch(report)),
    stallCheckMs(options.sendTimeoutMs),
  ).unref();

  let drained: Promise<void> | undefined;
  /** Rejects the promise of `listen`; undefined before a call and after one that has failed. */
  let cutListen: ((reason: Error) => void) | undefined;

  function drain(graceMs: number): Promise<void> {
    cutListen?.(new Error("drain was called before the port was open"));
    return new Promise((resolve) => {
      const destroyAll = () => {
        for (const socket of sockets) socket.destroy();
      };
      const grace = startTimer(guarded(report, destroyAll), graceMs);
      acceptor.close(() => {
        clearTimeout(grace);
        clearInterval(stallCheck);
        stopReturning();
        http1.stop();
        resolve();
      });
      for (const socket of undecided) socket.destroy();
      http1.drain();
      http2.drain(graceMs);
      lingering.drain();
    });
  }

  return {
    /**
     * Starts to accept connections.
     *
     * @param port 0 for any free port
     * @param host an address of this machine; by default all of them
     * @returns the port, and a base URL for this machine
     * @throws RangeError when the port is not between 0 and 65535; TypeError when the host is an empty string, which node takes
     * for all addresses; Error when it listens already, or `drain` was called; node's error when it cannot listen on the
     * address, such as EADDRINUSE or EACCES, after which `listen` can be called again
     */
    listen: (port: number, host?: string) =>
      new Promise<{ port: number; url: string }>((resolve, reject) => {
        checkPort(port, "port");
        if (host === "") throw new TypeError("host must be an address, not an empty string");
        if (drained) throw new Error("listen cannot be called after drain: create another gateway");
        if (cutListen) throw new Error("listen was called already: create a gateway for each port");
        cutListen = reject;
        const begin = () => {
          acceptor.off("error", fail).on("error", report);
          const address = acceptor.address() as AddressInfo;
          resolve({ port: address.port, url: urlOf(address, options.tls !== undefined) });
        };
        const fail = (error: Error) => {
          acceptor.off("listening", begin);
          cutListen = undefined;
          reject(error);
        };
        acceptor.once("error", fail).listen({ port, host, backlog }, begin);
      }),
    /**
     * Replaces the certificate chain and the private key. Handshakes from now on use them; open connections stay.
     *
     * @throws Error when they are invalid, or when the port accepts cleartext. The previous ones stay in use
     */
    setTls(tls: TlsIdentity): void {
      checkTls(tls, "tls");
      if (!(acceptor instanceof TlsServer)) throw new Error("the port accepts cleartext only");
      acceptor.setSecureContext(tls);
    },
    /**
     * Closes each HTTP/1 connection after its next response, so that its client connects to another process before this
     * one drains. Still accepts connections.
     */
    retireHttp1: http1.retireAll,
    /** Returns the number of open connections, by the version of HTTP. */
    connections: () => ({ http1: http1.connections, http2: http2.connections }),
    /**
     * Stops accepting connections, closes idle ones, and lets the others finish their requests. Destroys those that are
     * left after `graceMs` milliseconds; Infinity to wait for all. Further calls return the promise of the first call.
     *
     * @returns a promise that resolves when all connections are closed
     * @throws RangeError when `graceMs` is negative or not a number
     */
    drain: (graceMs: number) => {
      if (!(graceMs >= 0)) {
        throw new RangeError(
          `graceMs must be at least 0, or Infinity to wait for all, not ${graceMs}`,
        );
      }
      drained ??= drain(graceMs);
      return drained;
    },
  };
}

function createAcceptor(
  options: ListenerOptions,
  accept: (socket: Socket, isHttp2: boolean) => void,
  lingering: LingeringClose,
  undecided: Set<Socket>,
): Server {
  const causeToDrop = createConnectionLimit(options);
  /** @returns false when the client's address may not open another connection */
  const isWithinLimit = (socket: Socket) => {
    const cause = causeToDrop(socket);
    if (cause === undefined) {
      undecided.add(socket);
      socket.once("close", () => undecided.delete(socket));
      return true;
    }
    options.onConnectionDropped?.(cause);
    socket.resetAndDestroy();
    return false;
  };
  const watchEnd = (socket: Socket) => {
    socket.on("error", () => {}); // A `close` event follows, which all code here waits for.
    lingering.watch(socket);
  };
  if (options.tls === undefined) {
    return createCleartextServer(socketOptions, (socket) => {
      if (!isWithinLimit(socket)) return;
      watchEnd(socket);
      sniffProtocol(socket, options.headersTimeoutMs, (isHttp2) => {
        undecided.delete(socket);
        accept(socket, isHttp2);
      });
    });
  }
  /** The TCP sockets of TLS connections, by their clients. */
  const handshakes = new Map<string, Socket>();
  const acceptor = createTlsServer(
    {
      ...socketOptions,
      ...options.tls,
      ALPNProtocols: ["h2", "http/1.1"],
      handshakeTimeout: options.headersTimeoutMs,
    },
    (socket) => {
      const tcp = handshakes.get(peerOf(socket));
      if (!tcp) {
        socket.destroy(); // It has been reset.
        return;
      }
      setTcpSocket(socket, tcp);
      undecided.delete(tcp);
      watchEnd(socket);
      accept(socket, socket.alpnProtocol === "h2");
    },
  );
  acceptor.on("connection", (socket) => {
    if (!isWithinLimit(socket)) return;
    const peer = peerOf(socket);
    handshakes.set(peer, socket);
    socket.once("close", () => {
      if (handshakes.get(peer) === socket) handshakes.delete(peer);
    });
  });
  acceptor.on("tlsClientError", (_error, socket) => socket.destroy());
  return acceptor;
}

/** Returns the address and the port of a connection's client. */
function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

/** Returns a URL of the listener. Clients cannot connect to an unspecified address (0.0.0.0, ::). */
function urlOf({ address, family, port }: AddressInfo, secure: boolean): string {
  const unspecified = address === "0.0.0.0" || address === "::";
  const host = unspecified ? "localhost" : family === "IPv6" ? `[${address}]` : address;
  return `${secure ? "https" : "http"}://${host}:${port}`;
}

/** The first bytes of every HTTP/2 client (RFC 9113, section 3.4). */
const preface = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "latin1");

/**
 * Detects the protocol of a cleartext connection by its first bytes: HTTP/2 with prior knowledge (RFC 9113, section
 * 3.3), or HTTP/1 for all others. Puts these bytes back before it calls `onDecided`.
 *
 * After `timeoutMs`, it destroys the connection of a client that has sent nothing or only a part of the preface. It sends
 * no error, because the protocol is unknown.
 */
function sniffProtocol(
  socket: Socket,
  timeoutMs: number,
  onDecided: (isHttp2: boolean) => void,
): void {
  let seen: Buffer = Buffer.alloc(0);
  const deadline = setReadTimeout(() => socket.destroy(), timeoutMs);
  const stop = () => {
    deadline.cancel();
    socket.off("readable", read);
    socket.off("close", stop);
  };
  const read = () => {
    const chunk: Buffer | null = socket.read();
    if (chunk === null) return;
    seen = seen.length === 0 ? chunk : Buffer.concat([seen, chunk]);
    const length = Math.min(seen.length, preface.length);
    const isHttp2 = seen.compare(preface, 0, length, 0, length) === 0;
    // A part of the preface can be the beginning of both protocols.
    if (isHttp2 && length < preface.length) return;
    stop();
    socket.unshift(seen);
    onDecided(isHttp2);
  };
  socket.on("readable", read);
  socket.on("close", stop);
}
