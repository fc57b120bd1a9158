import { useEffect, useState } from "preact/hooks";

/** Returns the time in milliseconds since the epoch, and renders the component again every second. */
export function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => document.hidden || setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  return now;
}
