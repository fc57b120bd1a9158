import type { Socket } from "node:net";
import { addressGroup } from "../../access/client-address.ts";
import { guarded } from "../../call/guard.ts";
import { TickBudget } from "../../http/tick-budget.ts";

/** The fewest bytes of a request over HTTP/2: a frame whose headers are indexed. */
const bytesOfRequest = 16;
/** First bytes that may bring so much work that no other connection begins meanwhile. */
const largeBytes = 1024;

/** Begins a connection, now or in a later event-loop tick, unless it is closed by then. */
export type BeginInTurn = (socket: Socket, begin: () => void) => void;

/**
 * Lets new connections begin in turns. The bytes that a client has sent before then are processed at once, and can be
 * hundreds of requests. Most of their work follows in the next two iterations of the event loop. A pause as long follows,
 * so that half of the time is left to other connections.
 *
 * @param report called with an error of a beginning
 */
export function createConnectionTurns(report: (error: unknown) => void): BeginInTurn {
  const budget = new TickBudget("new connections");
  let pausedUntil = 0;

  function beginLarge(begin: () => void): void {
    const begun = performance.now();
    pausedUntil = Number.POSITIVE_INFINITY;
    begin();
    const pause = () => {
      // The event loop does not wait while an immediate is pending, so all of this time is work.
      const now = performance.now();
      pausedUntil = now + (now - begun);
    };
    setImmediate(() => setImmediate(pause));
  }

  return (socket, begin) => {
    const { readableLength } = socket;
    const steps = 1 + readableLength / bytesOfRequest;
    const beginOpen = guarded(report, () => {
      if (!socket.destroyed) begin();
    });
    const work = () => {
      if (performance.now() < pausedUntil) return false;
      if (readableLength > largeBytes) beginLarge(beginOpen);
      else beginOpen();
      return true;
    };
    if (budget.hasDeferred || !budget.take(steps) || !work()) {
      budget.defer(addressGroup(socket.remoteAddress), work, steps);
    }
  };
}
