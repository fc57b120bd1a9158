import { guarded } from "connect-gateway/call";
import type { Caller } from "../access/caller.ts";
import { minuteMs } from "../common/durations.ts";
import type { Trail } from "./audit-log.ts";

/** The time between entries, in milliseconds. */
const intervalMs = minuteMs;

/** Most keys that an entry names. */
const mostKeys = 10;

export type RefusalCounter = Pick<ReturnType<typeof createRefusalCounter>, "count">;

/**
 * Makes a counter of calls of AdminService by keys without its scope, which must not be able to fill the trail. It writes
 * one entry a minute, if there were such calls.
 *
 * @param service the name of the service in the trail
 */
export function createRefusalCounter(
  trail: Trail,
  service: string,
  onFault: (error: unknown) => void,
) {
  let count = 0;
  let keys = new Set<string>();
  let timer: NodeJS.Timeout | undefined;

  /** Records the calls that were counted. Call it when the process ends. @throws ConnectError unavailable */
  async function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    if (count === 0) return;
    const refused = { count, keys: [...keys] };
    const result = { code: "permission_denied", reason: "SCOPE_MISSING" };
    count = 0;
    keys = new Set();
    try {
      await trail.append({ kind: "refused", method: service, result, refused });
    } catch (error) {
      // The next entry has them. The store's adapter reports the outage.
      count += refused.count;
      for (const keyId of refused.keys) name(keyId);
      schedule();
      throw error;
    }
  }

  function name(keyId: string): void {
    if (keys.size < mostKeys) keys.add(keyId);
  }

  function schedule(): void {
    const onTimer = guarded(onFault, () => void flush().catch(() => {}));
    timer ??= setTimeout(onTimer, intervalMs).unref();
  }

  return {
    count({ keyId }: Caller): void {
      count += 1;
      name(keyId);
      schedule();
    },
    flush,
  };
}
