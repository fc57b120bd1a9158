import { useEffect, useRef, useState } from "preact/hooks";
import { type CallFault, faultOf, isCounted, isTransient } from "./call-fault.ts";
import { retryDelayMs } from "./retry-delay.ts";
import { serviceNowMs } from "./service-clock.ts";
import { useInterval } from "./use-interval.ts";

/** Data that a view reads. */
export interface Query<T> {
  /** The last data, which stays while it is read again or when that fails. */
  readonly data: T | undefined;
  readonly fault: CallFault | undefined;
  /** When it is read again after an error that can pass, by {@link serviceNowMs}. */
  readonly retryAtMs: number | undefined;
  readonly isLoading: boolean;
  /** Reads again. */
  reload(): void;
}

/**
 * Reads data when the component appears, when `dependencies` change, and every `everyMs` milliseconds while the tab is
 * visible. After an error that can pass, it tries again by itself.
 */
export function useQuery<T>(
  read: (signal: AbortSignal) => Promise<T>,
  dependencies: readonly unknown[],
  everyMs?: number,
): Query<T> {
  const [state, setState] = useState<Omit<Query<T>, "reload">>({
    data: undefined,
    fault: undefined,
    retryAtMs: undefined,
    isLoading: true,
  });
  const [round, setRound] = useState(0);
  const failures = useRef(0);
  const reload = () => setRound((n) => n + 1);
  useEffect(() => {
    const ending = new AbortController();
    setState((before) => ({ ...before, isLoading: true }));
    read(ending.signal).then(
      (data) => {
        if (ending.signal.aborted) return;
        failures.current = 0;
        setState({ data, fault: undefined, retryAtMs: undefined, isLoading: false });
      },
      (error: unknown) => {
        if (ending.signal.aborted) return;
        const fault = faultOf(error);
        const retryAtMs = isTransient(fault)
          ? serviceNowMs() + delayMs(fault, failures.current++)
          : undefined;
        setState(({ data }) => ({ data, fault, retryAtMs, isLoading: false }));
      },
    );
    return () => ending.abort();
  }, [...dependencies, round]);
  useEffect(() => {
    if (state.retryAtMs === undefined) return;
    const timer = setTimeout(reload, state.retryAtMs - serviceNowMs());
    return () => clearTimeout(timer);
  }, [state.retryAtMs]);
  useInterval(reload, everyMs);
  return { ...state, reload };
}

/** A reader can follow a countdown from here. */
const shortestMs = 2_000;

function delayMs(fault: CallFault, count: number): number {
  const atLeastMs = Math.max(shortestMs, fault.retryAfterMs ?? 0);
  return retryDelayMs({ count, isCounted: isCounted(fault), atLeastMs });
}
