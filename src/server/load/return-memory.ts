import { guarded } from "../../call/guard.ts";
import { collectGarbage } from "../node-internals/garbage-collector.ts";

/** Time without a reset after which a flood is over, and time between two looks at the memory, in milliseconds. */
const calmMs = 5_000;
/** Event-loop utilization below which the process is calm. */
const calmShare = 0.1;
/** Growth that is worth the pause of a collection, in bytes. */
const worthwhileBytes = 100 * 1024 * 1024;

/** Time between two looks at the growth of the process, in milliseconds. */
const growthMs = 500;

/** Least time between two collections during a flood, in milliseconds. */
const floodMs = 150;
/** Part of the time that collections may take during a flood. They take longer the more memory is in use. */
const floodShare = 1 / 10;

/** What collects garbage. Replaced by tests. */
export interface Collector {
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
 * Returns memory to the system after a flood of clients that do not read, and when the process is calm after any other
 * load. Collects garbage whenever the process has grown by {@link worthwhileBytes}. V8 would let the garbage of a flood
 * grow to several times its live objects, and keep that memory until it has to allocate as much again, which a calm
 * process never does. The strings of headers are outside of V8's heap. Unless they are collected early, they leave gaps
 * between live objects, and the C library cannot return the memory.
 *
 * @param report called with an error of the collector
 */
export function createMemoryReturn(
  report: (error: unknown) => void,
  collector: Collector = createV8Collector(),
) {
  let flood: { readonly end: NodeJS.Timeout; next: NodeJS.Timeout } | undefined;
  let leastBytes = Number.POSITIVE_INFINITY;
  /** Looks until the next collection. Doubled after one that returned little, because the memory may be in use. */
  let pause = 1;
  let left = 0;

  /** Returns whether the process has grown since it was smallest. */
  function hasGrown(): boolean {
    const bytes = collector.residentBytes();
    leastBytes = Math.min(leastBytes, bytes);
    return bytes > leastBytes + worthwhileBytes;
  }

  function look(): void {
    const isCalm = collector.utilization() < calmShare;
    left -= 1;
    if (!hasGrown() || !isCalm || flood || left > 0) return;
    collector.finish();
    pause = hasGrown() ? 2 * pause : 1;
    left = pause;
  }

  /** Resident memory after the last collection because of growth, or less. */
  let lowBytes = Number.POSITIVE_INFINITY;

  function lookAtGrowth(): void {
    const bytes = collector.residentBytes();
    if (bytes > lowBytes + worthwhileBytes && !flood) {
      collector.collect();
      lowBytes = collector.residentBytes();
    } else lowBytes = Math.min(lowBytes, bytes);
  }

  function collect(): void {
    if (!flood) return;
    const begun = performance.now();
    collector.collect();
    const took = performance.now() - begun;
    flood.next = collectIn(Math.max(floodMs, took / floodShare));
  }

  const collectIn = (ms: number) => setTimeout(guarded(report, collect), ms).unref();

  function end(): void {
    clearTimeout(flood?.next);
    flood = undefined;
    collector.finish();
  }

  const looks = setInterval(guarded(report, look), calmMs).unref();
  const growthLooks = setInterval(guarded(report, lookAtGrowth), growthMs).unref();
  return {
    /** Call it when a connection is reset because of the memory that it takes. */
    flooded(): void {
      if (flood) flood.end.refresh();
      else flood = { end: setTimeout(guarded(report, end), calmMs).unref(), next: collectIn(0) };
    },
    stop(): void {
      clearInterval(looks);
      clearInterval(growthLooks);
      clearTimeout(flood?.next);
    },
  };
}

function createV8Collector(): Collector {
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
