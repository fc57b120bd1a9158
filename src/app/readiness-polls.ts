import { atMostEvery } from "../common/at-most-every.ts";
import { minuteMs } from "../common/durations.ts";

/** How long a poll counts, in milliseconds. Balancers and orchestrators poll more often. */
const countsMs = minuteMs;

/** Shortest time between two reports to other processes, in milliseconds. */
const reportMs = 1_000;

/** Creates the record of what polls the readiness of this service. @param report reports a poll to the other processes; called at most once a second */
export function createReadinessPolls(report: () => void) {
  let lastAt = Number.NEGATIVE_INFINITY;
  const reportSometimes = atMostEvery(reportMs, report);
  const polledElsewhere = () => {
    lastAt = performance.now();
  };
  return {
    /** Counts a poll, and reports it. */
    polled(): void {
      polledElsewhere();
      reportSometimes();
    },
    polledElsewhere,
    /** Whether a process of the service was polled in the last minute. */
    get isPolled(): boolean {
      return performance.now() - lastAt < countsMs;
    },
  };
}
