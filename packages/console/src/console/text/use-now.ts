import { useEffect, useState } from "preact/hooks";
import { serviceNowMs } from "../shared/service-clock.ts";

/** Returns the time by the clock of the service, in milliseconds since the epoch, and renders the component again every second. */
export function useNow(): number {
  const [now, setNow] = useState(() => serviceNowMs());
  useEffect(() => {
    const timer = setInterval(() => document.hidden || setNow(serviceNowMs()), 1_000);
    return () => clearInterval(timer);
  }, []);
  return now;
}
