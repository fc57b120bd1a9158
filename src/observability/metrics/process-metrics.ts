import { readdirSync } from "node:fs";
import {
  constants,
  type EventLoopUtilization,
  monitorEventLoopDelay,
  type PerformanceEntry,
  PerformanceObserver,
  performance,
} from "node:perf_hooks";
import { openFilesLimit } from "../log/open-files.ts";
import { metrics } from "./definitions.ts";
import { observe, set } from "./metric.ts";
import type { Registry } from "./registry.ts";

/** How often the delay of the event loop is sampled, in milliseconds. */
const delayResolutionMs = 20;

/** Measures the process. All values except garbage collection pauses are read during a scrape. */
export function measureProcess(registry: Registry, version: string): void {
  const series = (metric: (typeof metrics)[keyof typeof metrics]) => registry.family(metric).with();
  set(registry.family(metrics.buildInfo).with(version, process.version), 1);
  set(series(metrics.startTime), performance.timeOrigin / 1_000);
  measureEventLoop(registry);
  measureGarbageCollection(registry);
  const cpu = series(metrics.cpu);
  const memory = series(metrics.residentMemory);
  const openFiles = series(metrics.openFiles);
  const maxFiles = series(metrics.maxFiles);
  registry.beforeSnapshot(() => {
    const { user, system } = process.cpuUsage();
    set(cpu, (user + system) / 1_000_000);
    set(memory, process.memoryUsage.rss());
    try {
      // Linux lists the open files of a process and their limit, which can change (prlimit). Elsewhere, both stay 0.
      set(openFiles, readdirSync("/proc/self/fd").length);
      set(maxFiles, openFilesLimit() ?? 0);
    } catch {}
  });
}

/** The delays are those since the last scrape. */
function measureEventLoop(registry: Registry): void {
  const delay = monitorEventLoopDelay({ resolution: delayResolutionMs });
  delay.enable();
  const p50 = registry.family(metrics.eventLoopDelayP50).with();
  const p99 = registry.family(metrics.eventLoopDelayP99).with();
  const max = registry.family(metrics.eventLoopDelayMax).with();
  const utilization = registry.family(metrics.eventLoopUtilization).with();
  let before: EventLoopUtilization = performance.eventLoopUtilization();
  // The histogram has the time between two samples, in nanoseconds.
  const seconds = (nanoseconds: number) =>
    Math.max(0, nanoseconds / 1e9 - delayResolutionMs / 1_000);
  registry.beforeSnapshot(() => {
    if (delay.count > 0) {
      set(p50, seconds(delay.percentile(50)));
      set(p99, seconds(delay.percentile(99)));
      set(max, seconds(delay.max));
      delay.reset();
    }
    const now = performance.eventLoopUtilization();
    set(utilization, performance.eventLoopUtilization(now, before).utilization);
    before = now;
  });
}

function measureGarbageCollection(registry: Registry): void {
  const family = registry.family(metrics.gcDuration);
  // The names are those of the semantic conventions.
  const byKind = new Map([
    [constants.NODE_PERFORMANCE_GC_MINOR, family.with("minor")],
    [constants.NODE_PERFORMANCE_GC_MAJOR, family.with("major")],
    [constants.NODE_PERFORMANCE_GC_INCREMENTAL, family.with("incremental")],
    [constants.NODE_PERFORMANCE_GC_WEAKCB, family.with("weakcb")],
  ]);
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const { detail, duration } = entry as PerformanceEntry & { detail: { kind: number } };
      const series = byKind.get(detail.kind);
      if (series) observe(series, duration / 1_000);
    }
  });
  observer.observe({ entryTypes: ["gc"] });
}
