import type { ServerStatus } from "../../stores/stores.ts";
import type { Snapshot } from "../telemetry/registry.ts";

/** What a process reports about itself. It can be sent to another process. */
export interface ProcessReport {
  readonly snapshot: Snapshot;
  readonly isStopping: boolean;
  /** The servers of Redis, as this process sees them. */
  readonly servers: readonly ServerStatus[];
}

/** What the whole service reports: of one process, or of its worker processes. */
export interface ServiceReport {
  /** The metrics of all processes. */
  readonly snapshot: Snapshot;
  /** The reports of the processes that serve requests. */
  readonly processes: readonly ProcessReport[];
  /** The number of processes that should serve requests. */
  readonly expected: number;
  /** The number of processes that did not report in time. */
  readonly silent: number;
}
