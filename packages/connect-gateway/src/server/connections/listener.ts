import type { AddressInfo, Socket } from "node:net";
import { TLSSocket, Server as TlsServer } from "node:tls";
import { guarded } from "../../call/guard.ts";
import { integer } from "../../call/option-checks.ts";
import { startTimer } from "../../call/timer.ts";
import { resetConnection, tcpSocketOf } from "../../http/exchange/tcp-socket.ts";
import { createReadScheduler } from "../load/read-scheduler.ts";
import { returnMemory } from "../load/return-memory.ts";
import {
  createStallDetector,
  minBytesPerSecond,
  sentByConnection,
  stallCheckMs,
} from "../load/stalls.ts";
import { createAcceptor } from "./acceptor.ts";
import { createHttp1Server } from "./http1-server.ts";
import { createHttp2Server } from "./http2-server.ts";
import { LingeringClose } from "./linger.ts";
import { checkTls, type ListenerOptions, type TlsIdentity } from "./listener-options.ts";
import { UnreadLedger, type UnreadOptions } from "./unread.ts";

/** Connections that may wait to be accepted. The kernel drops the beginning of others, and their clients wait 1 s. */
const backlog = 4_096;

const checkPort = integer(0, 65_535);

export interface Listener {
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
  listen(port: number, host?: string): Promise<{ port: number; url: string }>;
  /**
   * Replaces the certificate chain and the private key. Handshakes from now on use them; open connections stay.
   *
   * @throws Error when they are invalid, or when the port accepts cleartext. The previous ones stay in use
   */
  setTls(tls: TlsIdentity): void;
  /** Closes each HTTP/1 connection after its next response, so that its client connects to another process. Still accepts connections. */
  retire(): void;
  connections(): { readonly http1: number; readonly http2: number };
  /**
   * Stops accepting connections, closes idle ones, and lets the others finish their requests. Destroys those that are
   * left after `graceMs` milliseconds; Infinity to wait for all. Further calls return the promise of the first call.
   *
   * @returns a promise that resolves when all connections are closed
   * @throws RangeError when `graceMs` is negative or not a number
   */
  drain(graceMs: number): Promise<void>;
}

/**
 * Creates a listener. In cleartext, it detects the protocol by the first bytes of a connection; over TLS, by ALPN (RFC 7301).
 *
 * @throws RangeError when requestTimeoutMs is less than headersTimeoutMs
 */
export function createListener(options: ListenerOptions): Listener {
  const lingering = new LingeringClose();
  const report = (error: unknown) => options.onFault?.(error);
  const stopReturning = returnMemory(report);
  const onExcess: UnreadOptions["onExcess"] = (socket, bound) => {
    options.onConnectionDropped?.(bound);
    http2.close(socket, () => resetConnection(socket));
  };
  const exempt = options.trustedProxies;
  const ledger =
    options.unread && new UnreadLedger({ ...options.unread, exempt, report, onExcess });
  const reads = createReadScheduler();
  const http1 = createHttp1Server(options, lingering, ledger);
  const http2 = createHttp2Server(options, reads, ledger);
  const { server, sockets, undecided } = createAcceptor(options, lingering, {
    http1: (socket) =>
      reads.begin(
        socket,
        guarded(report, () => http1.accept(socket)),
      ),
    http2: guarded(report, (socket: Socket) => http2.accept(socket)),
  });

  const findStalled = createStallDetector<Socket>(options.sendTimeoutMs, minBytesPerSecond);
  const sentBy = (socket: Socket) => {
    // Of a TLS connection, the inner socket is checked, with the bytes of the outer one.
    const isOuter = server instanceof TlsServer && !(socket instanceof TLSSocket);
    return isOuter ? undefined : sentByConnection(tcpSocketOf(socket), ledger?.queuedFor(socket));
  };
  const resetStalled = async () => {
    await ledger?.check();
    for (const socket of findStalled(sockets, sentBy)) {
      options.onConnectionDropped?.("SEND_TIMEOUT");
      resetConnection(socket);
    }
    http2.resetStalled();
  };
  const stallCheck = setInterval(
    guarded(report, resetStalled),
    stallCheckMs(options.sendTimeoutMs),
  ).unref();

  let drained: Promise<void> | undefined;
  /** Rejects the promise of `listen`; undefined before a call and after one that has failed. */
  let cutListen: ((reason: Error) => void) | undefined;

  return {
    listen: (port, host) =>
      new Promise((resolve, reject) => {
        checkPort(port, "port");
        if (host === "") throw new TypeError("host must be an address, not an empty string");
        if (drained) throw new Error("listen cannot be called after drain: create another gateway");
        if (cutListen) throw new Error("listen was called already: create a gateway for each port");
        cutListen = reject;
        const begin = () => {
          server.off("error", fail).on("error", report);
          const address = server.address() as AddressInfo;
          const scheme = options.tls ? "https" : "http";
          resolve({ port: address.port, url: `${scheme}://${authorityOf(address)}` });
        };
        const fail = (error: Error) => {
          server.off("listening", begin);
          cutListen = undefined;
          reject(error);
        };
        server.once("error", fail).listen({ port, host, backlog }, begin);
      }),
    setTls(tls) {
      checkTls(tls, "tls");
      if (!(server instanceof TlsServer)) throw new Error("the port accepts cleartext only");
      server.setSecureContext(tls);
    },
    retire: http1.retireAll,
    connections: () => ({ http1: http1.connections, http2: http2.connections }),
    drain(graceMs) {
      if (!(graceMs >= 0)) {
        throw new RangeError(
          `graceMs must be at least 0, or Infinity to wait for all, not ${graceMs}`,
        );
      }
      cutListen?.(new Error("drain was called before the port was open"));
      drained ??= new Promise((resolve) => {
        const destroyAll = () => {
          for (const socket of sockets) socket.destroy();
        };
        const grace = startTimer(guarded(report, destroyAll), graceMs);
        server.close(() => {
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
      return drained;
    },
  };
}

/** Returns the authority of a URL of the listener. Clients cannot connect to an unspecified address (0.0.0.0, ::). */
function authorityOf({ address, family, port }: AddressInfo): string {
  const unspecified = address === "0.0.0.0" || address === "::";
  const host = unspecified ? "localhost" : family === "IPv6" ? `[${address}]` : address;
  return `${host}:${port}`;
}
