import { callerOf } from "../access/caller.ts";
import { minuteMs } from "../common/durations.ts";
import type { Recorder } from "./call-recorder.ts";

/** How often the trail has an entry for a read that is repeated all the time, in milliseconds. */
const intervalMs = 10 * minuteMs;

/** Most reads that are remembered. Beyond it, all are forgotten, so a read may be recorded too often. */
const mostReads = 1_000;

/**
 * Limits how often successful reads are recorded: once in ten minutes for each key, account that is read, and process.
 * A program that follows the trail reads it all the time, and would otherwise fill it with its own reads. Every failure is recorded.
 *
 * @param now the clock in milliseconds
 */
export function recordedSometimes(
  recorder: Recorder,
  now: () => number = () => performance.now(),
): Recorder {
  const recordedAt = new Map<string, number>();

  return {
    refuse: recorder.refuse,
    async record(request, context, work) {
      const { accountId = "" } = (request ?? {}) as { readonly accountId?: string };
      const read = `${callerOf(context).keyId} ${accountId}`;
      const at = recordedAt.get(read);
      if (at !== undefined && now() - at < intervalMs) {
        return work().catch((error: unknown) =>
          recorder.record(request, context, () => Promise.reject(error)),
        );
      }
      const response = await recorder.record(request, context, work);
      if (recordedAt.size >= mostReads) recordedAt.clear();
      recordedAt.set(read, now());
      return response;
    },
  };
}
