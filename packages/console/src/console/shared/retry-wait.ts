/** A wait for the next attempt. */
export interface RetryWait {
  /** Resolves at the time, when the browser is online again, when the signal is aborted, or after `end`. */
  readonly over: Promise<void>;
  end(): void;
}

/** Begins to wait. @param ms the time until the next attempt, in milliseconds */
export function startRetryWait(ms: number, signal: AbortSignal): RetryWait {
  const { promise: over, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(end, ms);
  function end(): void {
    clearTimeout(timer);
    removeEventListener("online", end);
    signal.removeEventListener("abort", end);
    resolve();
  }
  addEventListener("online", end);
  signal.addEventListener("abort", end);
  return { over, end };
}
