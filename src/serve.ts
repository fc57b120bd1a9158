import { AdminService, Plan } from "../gen/admin/v1/admin_pb.ts";
import { ChangeReason } from "../gen/inventory/v1/inventory_pb.ts";
import { type Scope, scopes } from "./access/scopes.ts";
import { createApp } from "./app.ts";
import { createLocalClient } from "./call/local-client.ts";
import { type Config, readConfig } from "./config.ts";
import { unknownOrigin } from "./inventory/stock-change.ts";
import { createLog, type Log } from "./log.ts";
import { sampleItems } from "./memory/sample.ts";
import { createMemoryStores } from "./memory/stores.ts";
import { createRedisStores } from "./redis/stores.ts";
import { createMethods } from "./services.ts";
import type { Stores } from "./stores.ts";
import { leaveWorkers, runWorkers, workerId } from "./workers.ts";

/** How long the first connection to Redis is waited for before the server starts without it. */
const firstConnectionMs = 2_000;

/** How long the process may take to end after it has drained, when it ends for an uncaught error. */
const exitGraceMs = 2_000;

/**
 * Runs the server, or the processes that are it together, until SIGTERM or SIGINT, then lets running requests end.
 *
 * @param environment the settings
 * @throws Error whose message says what to do, when it can't start
 */
export async function serve(environment: NodeJS.ProcessEnv): Promise<void> {
  const config = readConfig(environment);
  const log = createLog(config.logLevel, workerId);
  if (config.workers > 1 && workerId === undefined) {
    await runWorkers(config.workers, log);
    return;
  }
  const stores = await openStores(config, log);
  try {
    await run(config, stores, log);
  } finally {
    await stores.close();
    leaveWorkers();
  }
  log.info("stopped");
}

async function run(config: Config, stores: Stores, log: Log): Promise<void> {
  const app = createApp(config, stores, log);
  const stop = Promise.withResolvers<void>();
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    if (workerId === undefined) {
      // Once: a second signal ends the process at once, as it does by default.
      process.once(signal, () => stop.resolve());
    } else {
      // A terminal sends it to all processes, and the one that started this passes it on.
      process.on(signal, () => stop.resolve());
    }
  }
  let isBroken = false;
  process.on("uncaughtException", (error, origin) => {
    log.fatal({ err: error, origin }, "uncaught error: the process drains and ends");
    process.exitCode = 1;
    if (isBroken) process.exit();
    isBroken = true;
    stop.resolve();
    setTimeout(() => process.exit(), config.drainTimeoutMs + exitGraceMs).unref();
  });
  const { url } = await app.listen(config.port, config.host).catch((error: unknown) => {
    throw listenError(config, error);
  });
  if (config.redisUrl === undefined) {
    process.stdout.write(await embeddedWelcome(stores, url));
  } else {
    log.info({ pid: process.pid, url }, "listening");
  }
  await stop.promise;
  log.info("draining");
  await app.drain(config.drainTimeoutMs);
}

async function openStores(config: Config, log: Log): Promise<Stores> {
  if (config.redisUrl === undefined) {
    return createMemoryStores(Date.now, config.history);
  }
  const stores = createRedisStores(config.redisUrl, {
    history: config.history,
    onFailure: atMostEverySecond((error) => {
      const reason = error instanceof Error ? error.message : String(error);
      log.warn({ reason }, "redis is not available");
    }),
  });
  await stores.ready(firstConnectionMs).catch(() => {
    log.warn("starting without redis: requests are answered 503 until it is there");
  });
  return stores;
}

/** An outage meets every request: once a second is enough to know of it. */
function atMostEverySecond<T>(tell: (value: T) => void): (value: T) => void {
  let last = Number.NEGATIVE_INFINITY;
  return (value) => {
    const now = performance.now();
    if (now - last >= 1_000) {
      last = now;
      tell(value);
    }
  };
}

function listenError({ host, port }: Config, error: unknown): Error {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  switch (code) {
    case "EADDRINUSE":
      return new Error(`port ${port} of ${host} is in use: choose another with PORT=…`);
    case "EACCES":
      return new Error(`port ${port} may not be used: choose one above 1023 with PORT=…`);
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return new Error(`${host} is no address of this machine: choose another with HOST=…`);
    default:
      return new Error(`can't listen on ${host}:${port}`, { cause: error });
  }
}

/** Loads the sample and makes a key, and says how to use it. */
async function embeddedWelcome(stores: Stores, url: string): Promise<string> {
  await stores.inventory.put(sampleItems, { ...unknownOrigin, reason: ChangeReason.IMPORT });
  const caller = { accountId: "", keyId: "", scopes: new Set<Scope>(scopes) };
  const admin = createLocalClient(AdminService, createMethods(stores), caller);
  const { account } = await admin.createAccount({ name: "sample", plan: Plan.BUSINESS });
  const { secret } = await admin.createKey({
    accountId: account?.accountId ?? "",
    scopes: [...scopes],
  });
  return `Inventory service on ${url}

Nothing outlives this process. Set REDIS_URL to keep the stock in Redis.

Read about it: ${url}/docs

Try it:
  curl -H 'Authorization: Bearer ${secret}' ${url}/v1/inventory

`;
}
