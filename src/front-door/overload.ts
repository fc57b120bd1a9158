import { type Backlog, createBacklog, smallBacklog } from "./backlog.ts";

/** Longest expected wait at which requests without a well-formed key are admitted, in milliseconds. */
const strangerWaitMs = 50;
/** Longest expected wait at which any request is admitted, in milliseconds: longer than a slow store takes. */
const maxWaitMs = 400;

/** What is known of a request before anything is done for it. */
export interface Arrival {
  /** Whether it carries a well-formed API key. */
  readonly hasKey: boolean;
  /** How long its client waits, in milliseconds; undefined for no limit. */
  readonly timeoutMs: number | undefined;
}

/** Refuses requests when there are more than the process can serve in time. */
export interface Overload {
  readonly backlog: Backlog;
  /**
   * Decides whether to refuse a request, before any work is done for it. As the wait grows, it refuses requests that
   * would time out and those without a well-formed key, and at last all requests.
   *
   * @param arrival is called only when there is a backlog
   */
  refuses(arrival: () => Arrival): boolean;
}

/** Makes the overload control of a process. */
export function createOverload(backlog: Backlog = createBacklog()): Overload {
  return {
    backlog,
    refuses(arrival) {
      if (backlog.count < smallBacklog) return false;
      const { waitMs } = backlog;
      if (waitMs <= strangerWaitMs) return false;
      if (waitMs > maxWaitMs) return true;
      const { hasKey, timeoutMs } = arrival();
      // If the store is the bottleneck, refusing requests without a key does not help.
      return (!hasKey && backlog.isBusy) || (timeoutMs !== undefined && timeoutMs < waitMs);
    },
  };
}
