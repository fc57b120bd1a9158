import { createServer as createCleartextServer, type Server, Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { guardEmit } from "../../call/guard.ts";
import { setReadTimeout } from "../../call/read-timeout.ts";
import { SharedPool } from "../../call/shared-pool.ts";
import { limitedGroup } from "../../http/client-address.ts";
import { setTcpSocket } from "../../http/exchange/tcp-socket.ts";
import type { LingeringClose } from "./linger.ts";
import type { DropCause, ListenerOptions, TlsIdentity } from "./listener-options.ts";

/** How long a connection has no traffic before the kernel checks whether the client still exists, in milliseconds. */
const keepAliveProbeMs = 60_000;

const socketOptions = {
  noDelay: true,
  keepAlive: true,
  keepAliveInitialDelay: keepAliveProbeMs,
};

type HttpVersion = "http1" | "http2";

export interface Acceptor {
  /** A server of node that does not listen yet. */
  readonly server: Server;
  /** The sockets of open connections. A TLS connection has two, an outer and an inner one. */
  readonly sockets: ReadonlySet<Socket>;
  /** Sockets of connections whose protocol is not known, because they have sent nothing, or a part of their beginning. */
  readonly undecided: ReadonlySet<Socket>;
}

/** @param serve serve a connection with unread bytes. Must not throw */
export function createAcceptor(
  options: ListenerOptions,
  lingering: LingeringClose,
  serve: Readonly<Record<HttpVersion, (socket: Socket) => void>>,
): Acceptor {
  const { tls, headersTimeoutMs } = options;
  const causeToDrop = createConnectionLimit(options);
  const undecided = new Set<Socket>();
  const sockets = new Set<Socket>();
  const report = (error: unknown) => options.onFault?.(error);

  /** @returns false when the client's address may not open another connection */
  function isWithinLimit(socket: Socket): boolean {
    const cause = causeToDrop(socket);
    if (cause === undefined) {
      undecided.add(socket);
      socket.once("close", () => undecided.delete(socket));
      return true;
    }
    options.onConnectionDropped?.(cause);
    socket.resetAndDestroy();
    return false;
  }

  function watchEnd(socket: Socket): void {
    socket.on("error", () => {}); // A `close` event follows, which all code here waits for.
    lingering.watch(socket);
  }

  function createCleartext(): Server {
    return createCleartextServer(socketOptions, (socket) => {
      if (!isWithinLimit(socket)) return;
      watchEnd(socket);
      sniffProtocol(socket, headersTimeoutMs, (version) => {
        undecided.delete(socket);
        serve[version](socket);
      });
    });
  }

  function createTls(identity: TlsIdentity): Server {
    /** The TCP sockets of TLS connections, by their clients. */
    const handshakes = new Map<string, Socket>();
    const ALPNProtocols = ["h2", "http/1.1"];
    const server = createTlsServer(
      { ...socketOptions, ...identity, ALPNProtocols, handshakeTimeout: headersTimeoutMs },
      (socket) => {
        const tcp = handshakes.get(peerOf(socket));
        if (!tcp) {
          socket.destroy(); // It has been reset.
          return;
        }
        setTcpSocket(socket, tcp);
        undecided.delete(tcp);
        watchEnd(socket);
        serve[socket.alpnProtocol === "h2" ? "http2" : "http1"](socket);
      },
    );
    server.on("connection", (socket) => {
      if (!isWithinLimit(socket)) return;
      const peer = peerOf(socket);
      handshakes.set(peer, socket);
      socket.once("close", () => {
        if (handshakes.get(peer) === socket) handshakes.delete(peer);
      });
    });
    return server.on("tlsClientError", (_error, socket) => socket.destroy());
  }

  const server = tls ? createTls(tls) : createCleartext();
  // A worker closes a connection beyond the limit too, instead of passing it to another worker.
  Object.assign(server, { maxConnections: options.maxConnections, dropMaxConnection: true });
  server.on("drop", () => options.onConnectionDropped?.("MAX_CONNECTIONS"));
  const track = (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    guardEmit(socket, (error) => {
      report(error);
      socket.destroy();
    });
  };
  server.prependListener("connection", track);
  server.prependListener("secureConnection", track);
  guardEmit(server, (error, [, socket]) => {
    report(error);
    if (socket instanceof Socket) socket.destroy();
  });
  return { server, sockets, undecided };
}

/** Limits the connections of each address. @returns counts one, and returns why it must be closed; undefined when it may stay */
export function createConnectionLimit({
  maxConnections,
  maxConnectionsPerAddress: share,
  trustedProxies,
}: Pick<ListenerOptions, "maxConnections" | "maxConnectionsPerAddress" | "trustedProxies">) {
  const pool = new SharedPool({ name: "connections", size: maxConnections, share });
  return (socket: Socket): DropCause | undefined => {
    const holder = pool.holderOf(limitedGroup(socket.remoteAddress, trustedProxies));
    if (!holder.enter()) {
      return holder.count >= share ? "MAX_CONNECTIONS_PER_ADDRESS" : "MAX_CONNECTIONS";
    }
    socket.once("close", () => holder.leave());
    return undefined;
  };
}

function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

/** The first bytes of every HTTP/2 client (RFC 9113, section 3.4). */
const preface = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "latin1");

/**
 * Detects the protocol of a cleartext connection by its first bytes, and puts them back: HTTP/2 with prior knowledge (RFC 9113,
 * section 3.3), or HTTP/1 for all others. After `timeoutMs`, it destroys the connection of a client that has sent nothing or a
 * part of the preface. It sends no error, because the protocol is unknown.
 */
function sniffProtocol(
  socket: Socket,
  timeoutMs: number,
  onDecided: (version: HttpVersion) => void,
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
    onDecided(isHttp2 ? "http2" : "http1");
  };
  socket.on("readable", read);
  socket.on("close", stop);
}
