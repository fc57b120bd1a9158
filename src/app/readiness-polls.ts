import { atMostEvery } from "../common/at-most-every.ts";
import { minuteMs } from "../common/durations.ts";

/** How long a poll counts, in milliseconds. Balancers and orchestrators poll more often. */
const countsMs = minuteMs;

/** Shortest time between two reports to other processes, in milliseconds. */
const reportMs = 1_000;

/** Whether something polls the readiness of this service. */
export interface ReadinessPolls {
  /** Counts a poll, and reports it. */
  polled(): void;
  polledElsewhere(): void;
  /** Whether a process of the service was polled in the last minute. */
  readonly isPolled: boolean;
}

/** Creates the record of polls. @param report reports a poll to the other processes; called at most once a second */
export function createReadinessPolls(report: () => void): ReadinessPolls {
  let lastAt = Number.NEGATIVE_INFINITY;
  const reportSometimes = atMostEvery(reportMs, report);
  const polledElsewhere = () => {
    lastAt = performance.now();
  };
  return {
    polled(): void {
      polledElsewhere();
      reportSometimes();
    },
    polledElsewhere,
    get isPolled(): boolean {
      return performance.now() - lastAt < countsMs;
    },
  };
}
