import { useEffect } from "preact/hooks";
import { useStore } from "../shared/store.ts";
import { type LiveStock, liveStock, watchStock } from "./live-stock.ts";

/** How long a hidden tab keeps its watch, in milliseconds. Browsers open few connections, which all tabs share. */
const hiddenMs = 60_000;

/** Watches the stock while the component is shown. A tab that is hidden for a minute pauses. */
export function useLiveStock(): LiveStock {
  useEffect(() => {
    let watching = new AbortController();
    let hiding: ReturnType<typeof setTimeout> | undefined;
    void watchStock(watching.signal);
    const onVisibility = () => {
      clearTimeout(hiding);
      if (document.hidden) hiding = setTimeout(() => watching.abort(), hiddenMs);
      else if (watching.signal.aborted) {
        watching = new AbortController();
        void watchStock(watching.signal);
      }
    };
    document.addEventListener("visibilitychange", onVisibility);
    return () => {
      document.removeEventListener("visibilitychange", onVisibility);
      clearTimeout(hiding);
      watching.abort();
    };
  }, []);
  return useStore(liveStock);
}
