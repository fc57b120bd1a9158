import { constants } from "node:http2";
import type { Socket } from "node:net";
import { guarded } from "../../call/guard.ts";
import { addressGroup } from "../../http/client-address.ts";
import type { Http2Exchange } from "../../http/exchange/http2-exchange.ts";
import { TickBudget } from "../../http/tick-budget.ts";
import type { ReadScheduler } from "../load/read-scheduler.ts";
import { createStallDetector, minBytesPerSecond, sentByStream } from "../load/stalls.ts";
import { announceSettings } from "../node-internals/http2-settings.ts";
import { handleOf } from "../node-internals/socket-handle.ts";
import { limitBodiesAfterTick } from "./body-time.ts";
import { limitAge } from "./connection-age.ts";
import { Http2Connection, type Http2Options } from "./http2-connection.ts";
import { roundTripMs } from "./http2-goaway.ts";
import { maxConcurrentStreams, nativeLimits } from "./http2-limits.ts";
import type { ListenerOptions } from "./listener-options.ts";
import type { UnreadLedger } from "./unread.ts";

/** How often connections are checked for floods without events, in milliseconds. */
const checkMs = 1_000;

/** Slowest rate at which a client may read a stream, in bytes per second. All streams share the connection. */
const minStreamRate = minBytesPerSecond / 10;

/** Streams of a connection that are ended in one step, and the work of such a step, in units of a short request. */
const closedAtOnce = 16;
const closedSteps = 32;

/** An HTTP/2 server (RFC 9113) that gets its connections from a listener. */
export interface Http2Server {
  accept(socket: Socket): void;
  readonly connections: number;
  /** Ends the streams of a connection, a few in each event-loop tick so as not to block the process, then calls `reset`. */
  close(socket: Socket, reset: () => void): void;
  /**
   * Sends GOAWAY, and closes each connection after its last stream.
   *
   * @param graceMs milliseconds until the listener destroys the connections that are left
   */
  drain(graceMs: number): void;
  /** Resets streams whose clients have not read for too long. Call it at regular intervals. */
  resetStalled(): void;
}

export function createHttp2Server(
  options: ListenerOptions,
  reads: ReadScheduler,
  ledger?: UnreadLedger,
): Http2Server {
  const report = (error: unknown) => options.onFault?.(error);
  const native = nativeLimits(options.maxHeaderBytes);
  const limitBody = limitBodiesAfterTick(options.requestTimeoutMs);
  const common: Http2Options = { ...options, native, reads, limitBody, report };
  const connections = new Map<Socket, Http2Connection>();
  const closings = new TickBudget("closing streams");
  const findStalled = createStallDetector<Http2Exchange>(options.sendTimeoutMs, minStreamRate);
  /** How long clients may take to acknowledge a GOAWAY, in milliseconds, once the server drains. */
  let drainMs: number | undefined;

  const check = setInterval(() => {
    for (const { session, flood } of connections.values()) if (!session.destroyed) flood.check();
  }, checkMs).unref();

  function start(socket: Socket): void {
    const connection = new Http2Connection(socket, common, ledger?.accountOf(socket));
    connections.set(socket, connection);
    connection.session.once("close", () => connections.delete(socket));
    if (drainMs !== undefined) {
      // Not at once: node needs the session for what the socket has buffered.
      setImmediate(
        guarded(report, (waitMs) => connection.closeSoon(waitMs)),
        drainMs,
      );
    }
    if (options.age) limitAge(connection, options.age, report);
  }

  function* openExchanges(): Generator<Http2Exchange> {
    for (const { open } of connections.values()) yield* open;
  }

  return {
    accept(socket) {
      const begin = guarded(report, () => start(socket));
      announceSettings(socket, { maxConcurrentStreams }, native.settings, () =>
        reads.begin(socket, begin),
      );
    },
    get connections() {
      return connections.size;
    },
    close(socket, reset) {
      const open = connections.get(socket)?.open ?? new Set();
      handleOf(socket)?.readStop();
      const address = addressGroup(socket.remoteAddress);
      const defer = () => closings.defer(address, closePart, closedSteps);
      const closePart = () => {
        for (const exchange of open.values().take(closedAtOnce)) {
          open.delete(exchange);
          exchange.stream.destroy();
        }
        if (open.size > 0) defer();
        else reset();
        return true;
      };
      defer();
    },
    drain(graceMs) {
      drainMs = Math.min(roundTripMs, graceMs / 2);
      clearInterval(check);
      for (const connection of connections.values()) connection.closeSoon(drainMs);
    },
    resetStalled() {
      for (const { stream } of findStalled(openExchanges(), sentByStream)) {
        stream.close(constants.NGHTTP2_CANCEL);
      }
    },
  };
}
