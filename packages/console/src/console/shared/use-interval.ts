import { useEffect } from "preact/hooks";

/** Calls a function every `everyMs` milliseconds while the tab is visible; never if that is undefined. */
export function useInterval(run: () => void, everyMs: number | undefined): void {
  useEffect(() => {
    if (everyMs === undefined) return;
    const timer = setInterval(() => document.hidden || run(), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
}
