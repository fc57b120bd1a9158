import packageJson from "../../package.json" with { type: "json" };
import type { Config } from "../config/config.ts";
import type { ServiceReport } from "../observability/admin-port/health.ts";
import type { Log } from "../observability/log/log.ts";
import { allMetrics, metrics } from "../observability/metrics/definitions.ts";
import { add, set } from "../observability/metrics/metric.ts";
import { measureProcess } from "../observability/metrics/process-metrics.ts";
import { createRegistry } from "../observability/metrics/registry.ts";
import type { ServiceMetrics } from "../observability/metrics/service-metrics.ts";
import { createStoreMetrics } from "../observability/metrics/store-metrics.ts";
import type { Stores } from "../stores/stores.ts";
import type { App } from "./app.ts";
import { createWorkerReports, type WorkerSources } from "./worker-reports.ts";
import type { WorkerEvents } from "./workers.ts";

const version: string = packageJson.version;

/** Begins to measure this process. @returns what it reports */
export function createReporting(
  { registry, follow }: ServiceMetrics,
  { config, log }: { readonly config: Config; readonly log: Log },
  app: Pick<App, "status">,
  stores: Pick<Stores, "status">,
): WorkerSources {
  measureProcess(registry, version);
  follow(app.status, config);
  const dropped = registry.family(metrics.logLinesDropped).with();
  registry.beforeSnapshot(() => set(dropped, log.budget.dropped));
  const readStatus = createStoreMetrics(registry, stores.status);
  return {
    async report(kind) {
      const { servers } = await readStatus();
      const { isStopping } = app.status();
      return { snapshot: kind === "metrics" ? registry.snapshot() : {}, isStopping, servers };
    },
    async diagnose(task) {
      const { diagnoseProcess } = await import("../observability/admin-port/diagnostics.ts");
      return diagnoseProcess(task);
    },
  };
}

/** Begins to measure this process, whose workers serve requests. @returns the reports of all processes */
export function createGroupReporting({ workers, admin }: Config) {
  const registry = createRegistry();
  const restarts = registry.family(metrics.workerRestarts).with();
  const silent = registry.family(metrics.workersSilent).with();
  const reports = createWorkerReports(workers, allMetrics, registry, (count) => set(silent, count));
  if (admin) measureProcess(registry, version);
  const events: WorkerEvents = {
    started: reports.started,
    received: reports.received,
    ended(worker, next) {
      if (next === "replaced") add(restarts);
      reports.ended(worker);
    },
  };
  return { events, report: reports.report, diagnose: reports.diagnose };
}

/** Makes the report of a service with one process. */
export async function reportAlone(
  { report }: WorkerSources,
  kind: "metrics" | "health",
): Promise<ServiceReport> {
  const own = await report(kind);
  return { snapshot: own.snapshot, processes: [own], expected: 1, silent: 0 };
}
