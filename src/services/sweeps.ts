import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { guarded, singleFlight } from "connect-gateway/call";
import { orderRemovalPauseMs } from "../stores/order-store.ts";
import type { Stores } from "../stores/stores.ts";

/** The time between two sweeps of the holds, in milliseconds. With the time of a dead sweeper, units return within 2 s. */
const holdSweepMs = 400;

/** Sweeps of holds that follow each other at once. Each ends holds of at most 100 items in all. */
const holdSweepsAtOnce = 10;

/**
 * The pause after each further one, in milliseconds for each quantity that it has changed. So a storm of due holds makes
 * at most 250 changes a second, which a watcher that reads 1 Mbit/s can follow, whether its holds are small or large. The
 * pause after 100 changes is shorter than the time of a dead sweeper.
 */
const pausePerChangeMs = 4;

/** The shortest pause, in milliseconds. It bounds the share of Redis's time that the deletion of old records takes. */
const leastHoldPauseMs = 40;

/** The time between two looks for orders that are kept no longer, in milliseconds. */
const orderSweepMs = 10_000;

/**
 * Begins to return the units of due holds, and to remove orders that ended long ago. Returns a function that stops it.
 *
 * @param onFault called with bugs
 */
export function startSweeps(
  { holds, orders }: Pick<Stores, "holds" | "orders">,
  onFault: (error: unknown) => void,
): () => void {
  const sweeper = randomBytes(8).toString("hex");
  const stops = [
    repeat(
      async () => {
        const changes = await holds.sweep(sweeper);
        return changes && Math.max(changes * pausePerChangeMs, leastHoldPauseMs);
      },
      holdSweepMs,
      onFault,
      holdSweepsAtOnce,
    ),
    // The pause bounds the share of Redis's time that removals take. Processes that find nothing to do pause, too.
    repeat(
      async () => ((await orders.removeEnded()) ? 2 * orderRemovalPauseMs : 0),
      orderSweepMs,
      onFault,
    ),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

/**
 * Calls a function every so often, and again while there is more to do, until the returned function is called.
 *
 * @param sweep returns the pause before the next call in milliseconds, 0 if there is nothing more to do
 * @param atOnce how many calls follow each other without a pause
 */
function repeat(
  sweep: () => Promise<number>,
  everyMs: number,
  onFault: (error: unknown) => void,
  atOnce = 1,
): () => void {
  let isStopped = false;
  const run = singleFlight(async () => {
    try {
      for (let calls = 1; !isStopped; calls++) {
        const pauseMs = await sweep();
        if (pauseMs === 0) break;
        if (calls >= atOnce) await delay(pauseMs, undefined, { ref: false });
      }
    } catch (error) {
      // While the database is not available, the next sweep tries again.
      onFault(error);
    }
  });
  const timer = setInterval(guarded(onFault, run), everyMs).unref();
  return () => {
    isStopped = true;
    clearInterval(timer);
  };
}
