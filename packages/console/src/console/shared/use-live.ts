import { useState } from "preact/hooks";
import { pollIntervalMs } from "../usage/poll-interval.ts";
import { serviceNowMs } from "./service-clock.ts";
import { session } from "./session.ts";
import { useStore } from "./store.ts";

/** Returns how often an open list is read again, in milliseconds. */
export function useLiveMs(): number {
  const { identity } = useStore(session);
  const [openedMs] = useState(serviceNowMs);
  const limits = identity?.limits ?? { perMinute: 0, perDay: 0 };
  return pollIntervalMs(limits, serviceNowMs() - openedMs);
}
