import { constants } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { type Config, readCheckedConfig, type TracingConfig } from "../config/config.ts";
import type { EffectiveSetting } from "../config/sources.ts";
import { readTlsFiles, type TlsFiles } from "../config/tls-files.ts";
import { type AdminHandlerOptions, adminHandlers } from "../observability/admin-port/handlers.ts";
import { startAdminPort } from "../observability/admin-port/start.ts";
import { writeLine } from "../observability/log/lines.ts";
import { createLog, type Log } from "../observability/log/log.ts";
import { lowFilesLimit } from "../observability/log/open-files.ts";
import { allMetrics } from "../observability/metrics/definitions.ts";
import {
  createServiceMetrics,
  type ServiceMetrics,
} from "../observability/metrics/service-metrics.ts";
import type { Tracing } from "../observability/tracing/tracing.ts";
import { type App, createApp } from "./app.ts";
import { closeWithin, exitWithin } from "./exit.ts";
import { isFirst, type Life, type ServeOptions } from "./life.ts";
import { openStores } from "./open-stores.ts";
import { createReadinessPolls } from "./readiness-polls.ts";
import { loadSettings } from "./reload.ts";
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

/** Time between SIGTERM and the drain when readiness is polled and DRAIN_DELAY_MS is not set, in milliseconds. */
const polledDelayMs = 5_000;

/** How long the last spans may take to be sent after a drain, in milliseconds: more if the drain has left time. */
const flushMs = { least: 500, most: 2_000 };

/** How long the process may take to close what is open after it has drained, and then to exit, in milliseconds. */
const exitGraceMs = 2_000;

/** The same for a process that cannot start, or that ends at once. Together, both times are less than a second. */
const shortGraceMs = 400;

/**
 * Runs the server, in one process or several, until SIGTERM or SIGINT. Then it waits until balancers have noticed, and until
 * open requests have ended. The process exits soon after the promise has settled, whatever is still open.
 *
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
  opened.defer(await serveAdminPort(life, group));
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

/** Starts to serve, in this process. @returns a function that waits for the reason to stop, and then drains */
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
  // Workers share the record of readiness polls, because a poll reaches only one of them.
  const polls = createReadinessPolls(() => tellWorkers("polled"));
  const tellWorkers = connectWorkers(polls.polledElsewhere);
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
    const sigtermDelayMs = config.drainDelayMs ?? (polls.isPolled ? polledDelayMs : 0);
    const delayMs = reason === "SIGTERM" ? sigtermDelayMs : 0;
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
  const report: AdminHandlerOptions["report"] = (kind) => reportAlone(reporting, kind);
  life.opened.defer(await serveAdminPort(life, { report, diagnose: reporting.diagnose }));
}

function serveAdminPort(
  { config: { admin }, loaded, log }: Life,
  { report, diagnose }: Pick<AdminHandlerOptions, "report" | "diagnose">,
): Promise<() => void> {
  const options: AdminHandlerOptions = {
    metrics: allMetrics,
    report,
    config: () => loaded.inEffect,
    diagnose: admin?.debug ? diagnose : undefined,
  };
  return startAdminPort(admin, () => adminHandlers(options), log);
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
