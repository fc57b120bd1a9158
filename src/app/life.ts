import type { Config } from "../config/config.ts";
import type { Log } from "../observability/log/log.ts";
import type { LoadedSettings } from "./reload.ts";
import type { ServerSignals } from "./stop-signals.ts";
import { workerId } from "./workers.ts";

/** Whether this process speaks for the service: it is the first worker, or the only process. */
export const isFirst = (workerId ?? 1) === 1;

/** What a start does in addition to serving. */
export interface ServeOptions {
  /** Whether to load sample data into a Redis without data. Without Redis, there is always sample data. */
  readonly withSample: boolean;
}

/** What the parts of a process share from its start to its end. */
export interface Life {
  readonly config: Config;
  readonly loaded: LoadedSettings;
  readonly log: Log;
  /** Closes everything that the process has opened, the last first. Each step of the start adds what it opens. */
  readonly opened: AsyncDisposableStack;
  readonly options: ServeOptions;
  readonly signals: ServerSignals;
  readonly listening: PromiseWithResolvers<void>;
  /** Resolved with the reason when the process cannot go on: it drains and exits. */
  readonly broken: PromiseWithResolvers<string>;
  /** Called after SIGHUP with the configuration that was read again. */
  readonly onReload: Set<(config: Config) => void>;
}
