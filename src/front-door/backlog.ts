/** How often the rate is measured while there is a backlog, in milliseconds. */
const periodMs = 100;
/** Requests that may wait without being looked at: fewer than a burst of one busy client. */
export const smallBacklog = 32;
/** Share of the time that the event loop works, above which the process itself is the bottleneck. */
const busyShare = 0.9;

/** The requests of the process that wait for their admission, and how fast they are decided on. */
export interface Backlog {
  /** How many wait. */
  readonly count: number;
  /** Milliseconds that a request which begins now is likely to wait; 0 while that is not known. */
  readonly waitMs: number;
  /** Requests decided on in a millisecond; 0 while that is not known. */
  readonly perMs: number;
  /** Whether the event loop hardly ever waits. Otherwise it is the store that makes requests wait. */
  readonly isBusy: boolean;
  begin(): void;
  end(): void;
  /** @param listener called whenever a request was decided on; it takes the place of the one before */
  whenDecided(listener: () => void): void;
}

/**
 * Watches how many requests wait for their admission. By Little's law a request waits for as long as it takes
 * to decide on those before it. The rate is measured only in periods that begin and end with a backlog: else
 * it would be that of the arrivals. It is the higher one of two periods, so a single pause of the process, such
 * as one for garbage collection, does not count as overload.
 */
export function createBacklog(): Backlog {
  let count = 0;
  let ended = 0;
  let perMs = 0;
  /** The rate of the period before. */
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
    get count() {
      return count;
    },
    get waitMs() {
      return perMs === 0 ? 0 : count / perMs;
    },
    get perMs() {
      return perMs;
    },
    get isBusy() {
      return isBusy;
    },
    begin() {
      count += 1;
      if (count >= smallBacklog && timer === undefined) startPeriod();
    },
    end() {
      count -= 1;
      ended += 1;
      onDecided();
    },
    whenDecided(listener) {
      onDecided = listener;
    },
  };
}
