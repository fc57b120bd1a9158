import { Session } from "node:inspector/promises";
import { performance as ofProcess } from "node:perf_hooks";
import { singleFlight } from "../../call/single-flight.ts";

/** Time between two looks at the growth of the process, in milliseconds. */
const lookMs = 500;
/** Time until memory that a collection has not returned is tried again, in milliseconds. Doubled with each failure. */
const retryMs = 5_000;
/** Growth that is worth a collection while the process is calm, in bytes. */
const worthwhileBytes = 100 * 1024 * 1024;
/** Growth that is worth it at any time: a load of gRPC grows by 130 MB without a flood. */
const urgentBytes = 150 * 1024 * 1024;
/** Share of the time that a calm process works at most, and the time without more work after which it is calm, in ms. */
const calmShare = 0.1;
const calmMs = 10_000;

/** The memory of a process. Replaced by tests. */
export interface Memory {
  /**
   * Collects all garbage, which takes about 0.1 s, and returns free memory to the system. V8 drops compiled code with it, so
   * that calls cost up to twice as much for about a second.
   */
  collect(): Promise<void>;
  /** Returns the resident memory of the process, in bytes. */
  residentBytes(): number;
  /** Returns the share of the time since the last call in which the event loop worked, from 0 to 1. */
  utilization(): number;
}

/**
 * Collects garbage whenever the process has grown by {@link worthwhileBytes} and is calm, or by {@link urgentBytes}, and then
 * now and then, until it is nearly as small as before. V8 would keep the garbage of a flood until it has to allocate as much
 * again.
 *
 * @param report called with an error of the collector
 * @returns ends it
 */
export function returnMemory(
  report: (error: unknown) => void,
  { collect, residentBytes, utilization }: Memory = memoryOfProcess(),
): () => void {
  let least = Number.POSITIVE_INFINITY;
  /** Resident memory at the last collection or later, when it was smallest. */
  let low = Number.POSITIVE_INFINITY;
  let pauseMs = retryMs;
  let retryAt = 0;
  let calmAt = 0;

  const look = singleFlight(async () => {
    const bytes = residentBytes();
    const now = performance.now();
    least = Math.min(least, bytes);
    low = Math.min(low, bytes);
    if (utilization() > calmShare) calmAt = now + calmMs;
    const growth = now < calmAt ? urgentBytes : worthwhileBytes;
    const mayReturn = bytes > least + growth && now >= retryAt;
    if (!mayReturn && bytes <= low + growth) return;
    await collect();
    low = residentBytes();
    pauseMs = low > least + worthwhileBytes ? 2 * pauseMs : retryMs;
    retryAt = now + pauseMs;
  });

  const looks = setInterval(() => void look().catch(report), lookMs).unref();
  return () => clearInterval(looks);
}

/** The memory of this process, by the protocol of V8's inspector (https://chromedevtools.github.io/devtools-protocol/v8/HeapProfiler). */
export function memoryOfProcess(): Memory {
  let before = ofProcess.eventLoopUtilization();
  return {
    async collect() {
      const session = new Session();
      session.connect();
      await session.post("HeapProfiler.collectGarbage");
      session.disconnect();
    },
    residentBytes: () => process.memoryUsage.rss(),
    utilization() {
      const now = ofProcess.eventLoopUtilization();
      const { utilization } = ofProcess.eventLoopUtilization(now, before);
      before = now;
      return utilization;
    },
  };
}
