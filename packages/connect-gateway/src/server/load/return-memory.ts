import { Session } from "node:inspector/promises";
import { singleFlight } from "../../call/single-flight.ts";

/** Time between two looks at the growth of the process, in milliseconds. */
const lookMs = 500;
/** Time until memory that a collection has not returned is tried again, in milliseconds. Doubled with each failure. */
const retryMs = 5_000;
/** Growth that is worth the pause of a collection, in bytes. */
const worthwhileBytes = 100 * 1024 * 1024;

/** The memory of a process. Replaced by tests. */
export interface Memory {
  /** Collects all garbage, which takes about 0.1 s, and returns free memory to the system. */
  collect(): Promise<void>;
  /** Returns the resident memory of the process, in bytes. */
  residentBytes(): number;
}

/**
 * Collects garbage whenever the process has grown by {@link worthwhileBytes}, and then now and then, until it is nearly as
 * small as before. V8 would keep the garbage of a flood until it has to allocate as much again.
 *
 * @param report called with an error of the collector
 * @returns ends it
 */
export function returnMemory(
  report: (error: unknown) => void,
  { collect, residentBytes }: Memory = memoryOfProcess,
): () => void {
  let least = Number.POSITIVE_INFINITY;
  /** Resident memory at the last collection or later, when it was smallest. */
  let low = Number.POSITIVE_INFINITY;
  let pauseMs = retryMs;
  let retryAt = 0;

  const look = singleFlight(async () => {
    const bytes = residentBytes();
    const now = performance.now();
    least = Math.min(least, bytes);
    low = Math.min(low, bytes);
    const mayReturn = bytes > least + worthwhileBytes && now >= retryAt;
    if (!mayReturn && bytes <= low + worthwhileBytes) return;
    await collect();
    low = residentBytes();
    pauseMs = low > least + worthwhileBytes ? 2 * pauseMs : retryMs;
    retryAt = now + pauseMs;
  });

  const looks = setInterval(() => void look().catch(report), lookMs).unref();
  return () => clearInterval(looks);
}

/** The memory of this process, by the protocol of V8's inspector (https://chromedevtools.github.io/devtools-protocol/v8/HeapProfiler). */
export const memoryOfProcess: Memory = {
  async collect() {
    const session = new Session();
    session.connect();
    await session.post("HeapProfiler.collectGarbage");
    session.disconnect();
  },
  residentBytes: () => process.memoryUsage.rss(),
};
