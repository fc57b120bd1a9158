import { type Backlog, createBacklog, smallBacklog } from "./backlog.ts";

/** A wait from which on requests without a well-formed key are refused, in milliseconds. */
const strangerWaitMs = 50;
/** A wait from which on every request is refused, in milliseconds. A store that is slow takes less. */
const maxWaitMs = 400;

/** What is known of a request before anything is done for it. */
export interface Arrival {
  /** Whether it carries a well-formed API key. */
  readonly hasKey: boolean;
  /** For how long its client waits, in milliseconds; undefined when it does not say. */
  readonly timeoutMs: number | undefined;
}

/** Refuses requests when there are more than the process can serve in time. */
export interface Overload {
  readonly backlog: Backlog;
  /**
   * Decides before any work is done for a request. Refused first are requests that would time out, then
   * those without a well-formed key, then all others.
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
      // When it is the store that is slow, refusing strangers would not make it faster.
      return (!hasKey && backlog.isBusy) || (timeoutMs !== undefined && timeoutMs < waitMs);
    },
  };
}
