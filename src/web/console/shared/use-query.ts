import { useEffect, useState } from "preact/hooks";
import { type CallFault, faultOf } from "./call-fault.ts";

/** Data that a view reads. */
export interface Query<T> {
  /** The last data, which stays while it is read again or when that fails. */
  readonly data: T | undefined;
  readonly fault: CallFault | undefined;
  readonly isLoading: boolean;
  /** Reads again. */
  reload(): void;
}

/**
 * Reads data when the component appears, when `dependencies` change, and every `everyMs` milliseconds while the tab is
 * visible.
 */
export function useQuery<T>(
  read: (signal: AbortSignal) => Promise<T>,
  dependencies: readonly unknown[],
  everyMs?: number,
): Query<T> {
  const [state, setState] = useState<Omit<Query<T>, "reload">>({
    data: undefined,
    fault: undefined,
    isLoading: true,
  });
  const [round, setRound] = useState(0);
  useEffect(() => {
    const ending = new AbortController();
    setState((before) => ({ ...before, isLoading: true }));
    read(ending.signal).then(
      (data) => ending.signal.aborted || setState({ data, fault: undefined, isLoading: false }),
      (error: unknown) =>
        ending.signal.aborted ||
        setState(({ data }) => ({ data, fault: faultOf(error), isLoading: false })),
    );
    return () => ending.abort();
  }, [...dependencies, round]);
  useEffect(() => {
    if (everyMs === undefined) return;
    const timer = setInterval(() => document.hidden || setRound((n) => n + 1), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return { ...state, reload: () => setRound((n) => n + 1) };
}
