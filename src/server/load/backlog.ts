/** Length of a measurement, in milliseconds. */
const periodMs = 100;
/** Smallest number of requests at which the rate is measured. A burst of one busy client is smaller. */
export const smallBacklog = 32;
/** Event-loop utilization above which the process itself is the bottleneck. */
const busyShare = 0.9;

/** The requests that wait for admission in this process, and the rate at which they are decided. */
export type Backlog = ReturnType<typeof createBacklog>;

/**
 * Counts the requests that wait for admission. By Little's law, the wait of a new request is the number of waiting
 * requests divided by the rate of decisions. The rate is measured only in periods that begin and end with a backlog.
 * Without a backlog, the process decides as fast as requests arrive, which says nothing about its capacity. The higher
 * rate of the last two periods counts, so that one pause of the process, such as a garbage collection, does not look
 * like overload.
 */
export function createBacklog() {
  let count = 0;
  let ended = 0;
  let perMs = 0;
  /** The rate in the previous period. */
  let before: number | undefined;
  let isBusy = false;
  let timer: NodeJS.Timeout | undefined;
  let onDecided = () => {};
  let period = { startedAt: 0, ended: 0, utilization: performance.eventLoopUtilization() };

  function startPeriod(): void {
    const utilization = performance.eventLoopUtilization();
    period = { startedAt: performance.now(), ended, utilization };
    timer = setTimeout(endPeriod, periodMs);
    timer.unref();
  }

  function endPeriod(): void {
    timer = undefined;
    if (count < smallBacklog) {
      perMs = 0;
      before = undefined;
      isBusy = false;
      return;
    }
    const measured = (ended - period.ended) / (performance.now() - period.startedAt);
    perMs = before === undefined ? 0 : Math.max(before, measured);
    before = measured;
    isBusy = performance.eventLoopUtilization(period.utilization).utilization > busyShare;
    startPeriod();
  }

  return {
    /** Number of waiting requests. */
    get count() {
      return count;
    },
    /** Expected wait of a request that arrives now, in milliseconds; 0 while it is unknown. */
    get waitMs() {
      return perMs === 0 ? 0 : count / perMs;
    },
    /** Decisions per millisecond; 0 while the rate is unknown. */
    get perMs() {
      return perMs;
    },
    /** Whether the event loop is almost always busy. If it is not, requests wait for the store. */
    get isBusy() {
      return isBusy;
    },
    begin(): void {
      count += 1;
      if (count >= smallBacklog && timer === undefined) startPeriod();
    },
    end(): void {
      count -= 1;
      ended += 1;
      onDecided();
    },
    /** @param listener called after each decision; it replaces the previous listener */
    whenDecided(listener: () => void): void {
      onDecided = listener;
    },
  };
}
