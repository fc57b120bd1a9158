import { randomBytes } from "node:crypto";
import { guarded } from "../../call/guard.ts";
import { singleFlight } from "../../call/single-flight.ts";
import type { Stores } from "../../stores/stores.ts";

/** The time between two sweeps, in milliseconds. With the time of a dead sweeper, units return within 2 s. */
const sweepMs = 400;

/** Returns the units of due holds to the stock, until it is stopped. */
export interface HoldSweeps {
  stop(): void;
}

/**
 * Begins to sweep the holds.
 *
 * @param onFault called with errors that are bugs
 */
export function startHoldSweeps(
  stores: Pick<Stores, "holds">,
  onFault: (error: unknown) => void,
): HoldSweeps {
  const sweeper = randomBytes(8).toString("hex");
  let isStopped = false;

  const sweep = singleFlight(async () => {
    try {
      while (!isStopped && (await stores.holds.sweep(sweeper)));
    } catch (error) {
      // While the database is not available, the next sweep tries again.
      onFault(error);
    }
  });

  const timer = setInterval(guarded(onFault, sweep), sweepMs).unref();
  return {
    stop() {
      isStopped = true;
      clearInterval(timer);
    },
  };
}
