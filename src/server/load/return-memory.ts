import { guarded } from "../../call/guard.ts";
import { collectGarbage } from "../node-internals/garbage-collector.ts";

/** Time between two looks at the growth of the process, and whether it is calm, in milliseconds. */
const growthMs = 500;
const calmMs = 5_000;
/** Event-loop utilization below which the process is calm. */
const calmShare = 0.1;
/** Growth that is worth the pause of a collection, in bytes. */
const worthwhileBytes = 100 * 1024 * 1024;

/** The memory of a process. Replaced by tests. */
export interface Memory {
  /** Collects all garbage. */
  collect(): void;
  /** Collects all garbage, which takes about 0.1 s, and returns free memory to the system. */
  finish(): void;
  /** Returns the resident memory of the process, in bytes. */
  residentBytes(): number;
  /** Returns the event-loop utilization since the last call. */
  utilization(): number;
}

/**
 * Collects garbage whenever the process has grown by {@link worthwhileBytes}, and returns memory to the system when it is
 * calm after a load. V8 would let the garbage of a flood grow to several times its live objects, and keep that memory
 * until it has to allocate as much again, which a calm process never does.
 *
 * @param report called with an error of the collector
 * @returns ends it
 */
export function returnMemory(
  report: (error: unknown) => void,
  memory: Memory = memoryOfProcess(),
): () => void {
  let least = Number.POSITIVE_INFINITY;
  /** Looks until the next collection. Doubled after one that returned little, because the memory may be in use. */
  let pause = 1;
  let left = 0;

  /** Returns whether the process has grown since it was smallest. */
  function hasGrown(): boolean {
    const bytes = memory.residentBytes();
    least = Math.min(least, bytes);
    return bytes > least + worthwhileBytes;
  }

  function look(): void {
    const isCalm = memory.utilization() < calmShare;
    left -= 1;
    if (!hasGrown() || !isCalm || left > 0) return;
    memory.finish();
    pause = hasGrown() ? 2 * pause : 1;
    left = pause;
  }

  /** Resident memory after the last collection because of growth, or less. */
  let low = Number.POSITIVE_INFINITY;

  function lookAtGrowth(): void {
    if (memory.residentBytes() > low + worthwhileBytes) {
      memory.collect();
      low = memory.residentBytes();
    } else low = Math.min(low, memory.residentBytes());
  }

  const looks = [
    setInterval(guarded(report, look), calmMs).unref(),
    setInterval(guarded(report, lookAtGrowth), growthMs).unref(),
  ];
  return () => looks.forEach(clearInterval);
}

function memoryOfProcess(): Memory {
  let before = performance.eventLoopUtilization();
  return {
    collect: () => collectGarbage({ type: "major", execution: "sync" }),
    finish: () => collectGarbage({ type: "major", execution: "sync", flavor: "last-resort" }),
    residentBytes: () => process.memoryUsage.rss(),
    utilization() {
      const last = before;
      before = performance.eventLoopUtilization();
      return performance.eventLoopUtilization(before, last).utilization;
    },
  };
}
