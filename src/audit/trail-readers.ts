import type { Caller } from "../access/caller.ts";
import type { Recorder } from "../call/recorder.ts";

/** How often the trail has an entry for a key that reads it all the time, in milliseconds. */
const intervalMs = 10 * 60_000;

/** Most keys that are remembered. Beyond it, all are forgotten, so a read may be recorded too often. */
const mostKeys = 1_000;

/**
 * Limits how often reads of the trail are recorded: once in ten minutes for each key and process, if they succeed.
 * `audit follow` reads the trail every second, and would otherwise fill it with its own reads.
 *
 * @param now the clock in milliseconds
 */
export function recordedSometimes(
  recorder: Recorder<Caller>,
  now: () => number = () => performance.now(),
): Recorder<Caller> {
  const recordedAt = new Map<string, number>();

  function isDue(keyId: string): boolean {
    const at = recordedAt.get(keyId);
    return at === undefined || now() - at >= intervalMs;
  }

  return {
    refuse: recorder.refuse,
    async record(request, call, work) {
      const { keyId } = call.caller;
      if (!isDue(keyId)) return work();
      const response = await recorder.record(request, call, work);
      if (recordedAt.size >= mostKeys) recordedAt.clear();
      recordedAt.set(keyId, now());
      return response;
    },
  };
}
