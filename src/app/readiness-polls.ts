/** How long a poll counts, in milliseconds. Balancers and orchestrators poll more often. */
const countsMs = 60_000;

/** Shortest time between two reports to other processes, in milliseconds. */
const reportMs = 1_000;

/** Whether something polls the readiness of this service. */
export interface ReadinessPolls {
  /** Call it with every poll of this process. */
  polled(): void;
  /** Call it with every report of another process. */
  polledElsewhere(): void;
  /** Whether a process of the service was polled in the last minute. */
  readonly isPolled: boolean;
}

/**
 * Creates the record of polls.
 *
 * @param report reports a poll to the other processes of the service; called at most once a second
 */
export function createReadinessPolls(report: () => void): ReadinessPolls {
  let lastAt = Number.NEGATIVE_INFINITY;
  let reportedAt = Number.NEGATIVE_INFINITY;
  const polledElsewhere = () => {
    lastAt = performance.now();
  };
  return {
    polled() {
      polledElsewhere();
      if (lastAt - reportedAt < reportMs) return;
      reportedAt = lastAt;
      report();
    },
    polledElsewhere,
    get isPolled() {
      return performance.now() - lastAt < countsMs;
    },
  };
}
