import type { Quota, WindowQuotas } from "../../stores/admission-store.ts";
import type { FullWindows } from "./limit-errors.ts";

/**
 * Returns the windows that refuse a request, with their limits.
 *
 * @param requests how many requests the call counts as, at least 1
 */
export function fullWindows({ minute, day }: WindowQuotas, requests = 1): FullWindows {
  return {
    ...(minute.remaining < requests && { minute: minute.limit }),
    ...(day.remaining < requests && { day: day.limit }),
  };
}

/** Returns the lower limit of both windows. A call that counts as more requests never fits. */
export function lowestLimit({ windows: { minute, day } }: Quota): [number, "minute" | "day"] {
  return minute.limit <= day.limit ? [minute.limit, "minute"] : [day.limit, "day"];
}
