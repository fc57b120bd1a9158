import { constants } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { type Config, readCheckedConfig, type TracingConfig } from "../config/config.ts";
import type { EffectiveSetting } from "../config/effective.ts";
import { readTlsFiles, type TlsFiles } from "../config/tls-files.ts";
import { writeLine } from "../observability/log/lines.ts";
import { createLog, type Log } from "../observability/log/log.ts";
import { lowFilesLimit } from "../observability/log/open-files.ts";
import { createRedisOutages } from "../observability/log/redis-outages.ts";
import { allMetrics } from "../observability/metrics/definitions.ts";
import {
  createServiceMetrics,
  type ServiceMetrics,
} from "../observability/metrics/service-metrics.ts";
import { type OpsHandlerOptions, opsHandlers } from "../observability/ops-port/handlers.ts";
import { startOpsPort } from "../observability/ops-port/start.ts";
import type { Tracing } from "../observability/tracing/tracing.ts";
import { FormatError } from "../stores/redis/format.ts";
import { createRedisStores } from "../stores/redis/stores.ts";
import type { Stores } from "../stores/stores.ts";
import { type App, createApp } from "./app.ts";
import { closeWithin, exitWithin } from "./exit.ts";
import { createReadinessPolls, type ReadinessPolls } from "./readiness-polls.ts";
import { type LoadedSettings, loadSettings } from "./reload.ts";
import { createGroupReporting, createReporting, reportAlone } from "./reporting.ts";
import { observeServerSignals, type ServerSignals } from "./stop-signals.ts";
import { createWorkerAnswers, sendLastReport, type WorkerSources } from "./worker-reports.ts";
import {
  connectWorkers,
  leaveWorkers,
  parentProcess,
  reportFault,
  runWorkers,
  workerId,
} from "./workers.ts";

/** How long the server waits for Redis before it starts without it, in milliseconds. */
const firstConnectionMs = 2_000;

/** Whether this process speaks for the service: it is the first worker, or the only process. */
const isFirst = (workerId ?? 1) === 1;

/** Time between SIGTERM and the drain when readiness is polled and DRAIN_DELAY_MS is not set, in milliseconds. */
const polledDelayMs = 5_000;

/** How long the last spans may take to be sent after a drain, in milliseconds: more if the drain has left time. */
const flushMs = { least: 500, most: 2_000 };

/** How long the process may take to close what is open after it has drained, and then to exit, in milliseconds. */
const exitGraceMs = 2_000;

/** The same for a process that cannot start, or that ends at once. Together, both times are less than a second. */
const shortGraceMs = 400;

/** What a start does in addition to serving. */
export interface ServeOptions {
  /** Whether to load sample data into a Redis without data. Without Redis, there is always sample data. */
  readonly withSample: boolean;
}

/**
 * Runs the server, in one process or several, until SIGTERM or SIGINT. Then it waits until balancers have noticed, and
 * until open requests have ended. The process exits soon after the promise has settled, whatever is still open.
 *
 * @param environment the environment variables with the settings
 * @throws Error that says what to do when the server cannot start; everything that was opened is closed then
 */
export async function serve(
  environment: NodeJS.ProcessEnv,
  options: ServeOptions,
  signals: ServerSignals = observeServerSignals(),
): Promise<void> {
  const config = readCheckedConfig(environment);
  const log = createLog(config.logLevel, workerId);
  // ioredis would write to standard error, also when it takes a refusal of Redis for something else.
  console.warn = (warning: unknown) => log.debug(String(warning));
  const life: Life = {
    config,
    loaded: loadSettings(environment, log),
    log,
    opened: new AsyncDisposableStack(),
    options,
    signals,
    listening: Promise.withResolvers(),
    broken: Promise.withResolvers(),
    onReload: new Set(),
  };
  let graceMs = shortGraceMs;
  life.listening.promise.then(() => {
    graceMs = exitGraceMs;
  });
  try {
    if (config.workers > 1 && workerId === undefined) await runGroup(life);
    else writeLine(log, "stopped", await runAlone(life));
  } catch (error) {
    if (!reportFault(error)) throw error;
    process.exitCode = 1;
  } finally {
    await closeWithin(graceMs, life.opened);
    exitWithin(graceMs, log);
  }
}

/** Runs several processes until all have ended. */
async function runGroup(life: Life): Promise<void> {
  const { config, loaded, log, opened, signals } = life;
  signals.second.then((signal) => endAtOnce(log, signal));
  const group = createGroupReporting(config);
  opened.defer(await startAdmin(life, group));
  const reload = () => loaded.reload() !== undefined;
  await runWorkers(config.workers, { log, opened, signals, events: group.events, reload });
}

/** Runs this process until it has drained, or until a signal or an uncaught error ends its start. */
async function runAlone(life: Life): Promise<Stop> {
  const { loaded, log, opened, signals, broken, onReload } = life;
  opened.defer(leaveWorkers);
  // A worker gets a signal twice, from the terminal and from its parent, which ends it if the second one is meant.
  if (workerId === undefined) signals.second.then((signal) => endAtOnce(log, signal));
  signals.onReload(() => {
    const reloaded = loaded.reload();
    if (reloaded) for (const apply of onReload) apply(reloaded);
  });
  endOnUncaught(life);
  const early = Promise.race([signals.first, broken.promise]);
  const drain = await Promise.race([
    start(life),
    early.then((reason) => () => ({ reason, drainMs: 0 })),
  ]);
  return drain();
}

/** Ends the process on a second signal, with the exit code that shells show for a process that the signal has killed. */
function endAtOnce(log: Log, signal: NodeJS.Signals): void {
  writeLine(log, "drainSkipped", { reason: signal });
  process.exitCode = 128 + constants.signals[signal];
  exitWithin(shortGraceMs, log);
}

/** Uses the certificate that the files have now. */
function reloadTls(
  tls: TlsFiles,
  app: Pick<App, "setTls">,
  metrics: ServiceMetrics | undefined,
  log: Log,
): void {
  try {
    const files = readTlsFiles(tls);
    app.setTls(files);
    metrics?.onCertificate(files.cert);
    writeLine(log, "tlsReloaded", {});
  } catch (error) {
    // They were valid when the settings were checked, just before. Somebody is replacing them.
    writeLine(log, "notReloaded", { faults: [error instanceof Error ? error.message : error] });
  }
}

interface Stop {
  /** A signal, or what is wrong. */
  readonly reason: string;
  /** How long draining took, in milliseconds. */
  readonly drainMs: number;
}

interface Life {
  readonly config: Config;
  readonly loaded: LoadedSettings;
  readonly log: Log;
  /** Closes everything that the process has opened, the last first. Each step of the start adds what it opens. */
  readonly opened: AsyncDisposableStack;
  readonly options: ServeOptions;
  readonly signals: ServerSignals;
  /** Resolved when the process listens. */
  readonly listening: PromiseWithResolvers<void>;
  /** Resolved with the reason when the process cannot go on: it drains and exits. */
  readonly broken: PromiseWithResolvers<string>;
  /** Called after SIGHUP with the configuration that was read again. */
  readonly onReload: Set<(config: Config) => void>;
}

/**
 * Starts to serve, in this process.
 *
 * @returns a function that waits for the reason to stop, and then drains
 */
async function start(life: Life): Promise<() => Promise<Stop>> {
  const { config, loaded, log, opened, options, signals, listening, broken, onReload } = life;
  // On a terminal, a text takes the place of the first lines of the log.
  const prints = !config.redis || process.stdout.isTTY;
  // If the service cannot start, its only output is the reason. All workers have the same settings.
  listening.promise.then(() => {
    if (!isFirst) return;
    if (!prints) {
      const settings = Object.fromEntries(loaded.inEffect.map(({ name, value }) => [name, value]));
      writeLine(log, "settings", { node: process.version, settings });
    }
    const filesReason = lowFilesLimit(config.maxConnections);
    if (filesReason !== undefined) writeLine(log, "lowFilesLimit", { reason: filesReason });
    for (const reason of loaded.warnings) writeLine(log, "settingIgnored", { reason });
  });
  // Without an admin port, nothing is counted.
  const metrics = config.admin && createServiceMetrics();
  const stores = await openStores(life, metrics);
  const polls = pollsOfAllWorkers();
  const tracing = config.tracing && (await startTracing(config.tracing, log, metrics));
  if (tracing) opened.defer(() => tracing.close(0));
  const observers = { ...metrics, onReadinessPoll: polls.polled, tracing };
  const app = createApp(config, stores, log, observers);
  opened.defer(() => app.drain(0));
  const reporting = metrics && createReporting(metrics, life, app, stores);
  if (config.tls) metrics?.onCertificate(readTlsFiles(config.tls).cert);
  onReload.add(({ tls }) => {
    if (config.tls && tls) reloadTls(tls, app, metrics, log);
  });
  if (reporting) await offerReports(life, reporting);
  const { url } = await app.listen(config.port, config.host).catch((error: unknown) => {
    throw listenError(config, error);
  });
  if (!prints) writeLine(log, "listening", { pid: process.pid, url });
  const withSample = options.withSample || !config.redis;
  if (isFirst && (prints || withSample)) {
    const { loadSampleQuietly, printWelcome } = await import("./welcome.ts");
    const isRedis = ({ name, source }: EffectiveSetting) =>
      name.startsWith("REDIS_") && source !== "default";
    const redis = config.redis && loaded.inEffect.filter(isRedis);
    if (prints) await printWelcome(stores, log, { url, redis, withSample });
    else await loadSampleQuietly(stores, log);
  }
  listening.resolve();
  return async () => {
    const reason = await Promise.race([signals.first, broken.promise]);
    const delayMs = reason === "SIGTERM" ? drainDelay(config, polls) : 0;
    if (delayMs > 0) {
      writeLine(log, "unready", { delayMs });
      app.beginStop();
      await Promise.race([delay(delayMs, undefined, { ref: false }), broken.promise]);
    }
    writeLine(log, "draining", { reason });
    const drainsAt = performance.now();
    await app.drain(config.drainTimeoutMs);
    const drainMs = performance.now() - drainsAt;
    const leftMs = Math.min(flushMs.most, config.drainTimeoutMs - drainMs);
    await tracing?.close(Math.max(flushMs.least, leftMs));
    if (reporting && workerId !== undefined) await sendLastReport(parentProcess, reporting);
    return { reason, drainMs: Math.round(drainMs) };
  };
}

/** Drains the process after an error that no handler has caught. A second one ends it. */
function endOnUncaught({ config, log, broken }: Life): void {
  let isBroken = false;
  process.on("uncaughtException", (error, origin) => {
    writeLine(log, "uncaught", { err: error, origin });
    process.exitCode = 1;
    if (isBroken) exitWithin(shortGraceMs, log);
    isBroken = true;
    broken.resolve("uncaught error");
    setTimeout(exitWithin, config.drainTimeoutMs + exitGraceMs, shortGraceMs, log).unref();
  });
}

/** Offers the reports of this process: a worker to its parent, any other process at the admin port. */
async function offerReports(life: Life, reporting: WorkerSources): Promise<void> {
  if (workerId !== undefined) {
    parentProcess.listen(createWorkerAnswers(parentProcess, reporting));
    return;
  }
  const report: OpsHandlerOptions["report"] = (kind) => reportAlone(reporting, kind);
  life.opened.defer(await startAdmin(life, { report, diagnose: reporting.diagnose }));
}

function startAdmin(
  { config: { admin }, loaded, log }: Life,
  { report, diagnose }: Pick<OpsHandlerOptions, "report" | "diagnose">,
): Promise<() => void> {
  const options: OpsHandlerOptions = {
    metrics: allMetrics,
    report,
    config: () => loaded.inEffect,
    diagnose: admin?.debug ? diagnose : undefined,
  };
  return startOpsPort(admin, () => opsHandlers(options), {
    onListening: (url) => writeLine(log, "adminPort", { url }),
    onUnavailable: (reason) => writeLine(log, "noAdminPort", { reason }),
    onFault: (error) => writeLine(log, "adminFault", { err: error }),
  });
}

/** Begins to trace requests. Lost spans are logged at most once a minute. */
async function startTracing(
  config: TracingConfig,
  log: Log,
  metrics: ServiceMetrics | undefined,
): Promise<Tracing> {
  const { createTracing } = await import("../observability/tracing/tracing.ts");
  return createTracing(config, {
    onExported: (count) => metrics?.onSpansExported(count),
    onDropped: (count) => metrics?.onSpansDropped(count),
    onFailure: (reason, spans) => writeLine(log, "spansLost", { reason, spans }),
  });
}

/** Connects to Redis with the password and certificates that the files have now. */
async function reconnect(stores: Stores, log: Log): Promise<void> {
  try {
    await stores.reconnect();
    writeLine(log, "redisReconnected", {});
  } catch (error) {
    writeLine(log, "redisNotReconnected", { err: error });
  }
}

/** Creates a record of readiness polls that workers share, because a poll reaches only one of them. */
function pollsOfAllWorkers(): ReadinessPolls {
  const polls = createReadinessPolls(() => tellWorkers("polled"));
  const tellWorkers = connectWorkers(polls.polledElsewhere);
  return polls;
}

/** Returns the time between SIGTERM and the drain, in milliseconds. */
function drainDelay({ drainDelayMs }: Config, { isPolled }: ReadinessPolls): number {
  return drainDelayMs ?? (isPolled ? polledDelayMs : 0);
}

/** @throws Error that says why Redis cannot be used, in one line */
async function openStores(life: Life, metrics: ServiceMetrics | undefined): Promise<Stores> {
  const { config, log, opened, listening, broken, onReload } = life;
  if (config.redis === undefined) {
    const { createMemoryStores } = await import("../stores/memory/stores.ts");
    const { history, auditLength, orders } = config;
    return createMemoryStores(Date.now, { history, auditLength, orders });
  }
  let isStarting = true;
  const report = atMostEverySecond((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    writeLine(log, "redisUnavailable", { reason });
  });
  const outages = createRedisOutages(log);
  const stores = createRedisStores(config.redis, {
    history: config.history,
    auditLength: config.auditLength,
    orders: config.orders,
    outages,
    ...(metrics && { onReply: metrics.onReply, onListRead: metrics.onListRead }),
    // If the service cannot start, the error that ends it says why.
    onFailure: (error) => isStarting || report(error),
    onFinding({ level, message }) {
      // Workers would find the same. If the service cannot start, its only output is the reason.
      if (isFirst) listening.promise.then(() => log[level](message));
    },
    onClockSetBack(stepMs) {
      metrics?.onClockSetBack();
      writeLine(log, "redisClockSetBack", { stepMs });
    },
    onAmended: (accountId, amended) =>
      writeLine(log, amended === "listed" ? "accountListed" : "accountDeletedAgain", { accountId }),
    onUnusable({ message }) {
      if (isStarting) return;
      writeLine(log, "unusableData", { reason: message });
      process.exitCode = 1;
      broken.resolve("unusable data");
    },
  });
  opened.defer(stores.close);
  onReload.add(() => reconnect(stores, log));
  await stores.ready(firstConnectionMs).catch(({ cause }: Error) => {
    // A worker that replaces another one starts in any case. Its requests get 503 until Redis is available.
    if (cause instanceof FormatError || (cause instanceof Error && isFirst)) throw cause;
    writeLine(log, "redisSilent", {});
  });
  isStarting = false;
  outages.announce();
  return stores;
}

/** Wraps a function so that it is called at most once per second. An outage fails every request, but is logged once. */
function atMostEverySecond<T>(report: (value: T) => void): (value: T) => void {
  let last = Number.NEGATIVE_INFINITY;
  return (value) => {
    const now = performance.now();
    if (now - last >= 1_000) {
      last = now;
      report(value);
    }
  };
}

function listenError({ host, port }: Config, error: unknown): Error {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  switch (code) {
    case "EADDRINUSE":
      return new Error(`port ${port} of ${host} is in use: set PORT to another port`);
    case "EACCES":
      return new Error(`permission denied for port ${port}: set PORT to a port above 1023`);
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return new Error(`${host} is not an address of this machine: set HOST to another address`);
    default:
      return new Error(`cannot listen on ${host}:${port}: ${code ?? error}`, { cause: error });
  }
}
