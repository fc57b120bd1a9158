import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { ChangeReason } from "../../../gen/inventory/v1/inventory_pb.ts";
import { aclLine } from "../../../src/stores/redis/acl.ts";
import { unknownOrigin } from "../../../src/stores/stock-change.ts";
import type { Stores } from "../../../src/stores/stores.ts";
import { addAccount, addKey } from "../../support/accounts.ts";
import { openRedisStores } from "../../support/redis-stores.ts";
import { itemsFrom } from "../../support/stock.ts";
import { type RedisServer, startRedisServer } from "../harness/redis-server.ts";
import { until } from "../harness/until.ts";
import { commandsOf } from "./entries.ts";
import type { Prometheus } from "./prometheus.ts";
import { createService, type Service } from "./service.ts";
import { openShell, type Shell, type Unit } from "./shell.ts";

/** Longest time until an alert fires or clears. The objectives need a minute to clear with scaled durations. */
const alertTimeoutMs = 100_000;

/** Longest time until Prometheus has read the metrics of a new target, in milliseconds. */
const scrapeTimeoutMs = 15_000;

/** Pause between two requests of the load, in milliseconds. */
const loadPauseMs = 40;

/** The password of the service's user of Redis, which has only the permissions that `inventory redis-acl` prints. */
const password = "runbook";

/** A fault, and what it takes to repair it. */
export interface Fault {
  /** Names the job in Prometheus, too. */
  readonly name: string;
  /** Settings of the service. */
  readonly settings?: (directory: string) => Readonly<Record<string, string>>;
  /** Options of Redis. */
  readonly redis?: readonly string[];
  /** False if the drill adds the service to the targets of Prometheus itself. */
  readonly watched?: boolean;
  /** Causes the fault, and follows the runbook until its alerts are clear. */
  readonly run: (drill: Drill) => Promise<void>;
}

/** A service with a Redis of its own, which Prometheus watches. */
export interface Drill {
  readonly directory: string;
  readonly job: string;
  readonly service: Service;
  readonly redis: RedisServer;
  readonly stores: Stores;
  /** The base URL of the service. */
  readonly url: string;
  readonly prometheus: Prometheus;
  /** Units for `systemctl`, in addition to `inventory` and `redis-server`. A unit can be replaced. */
  readonly units: Record<string, Unit>;
  /** More variables for the commands. */
  readonly variables: Record<string, string>;
  /** Sends requests until the drill ends. */
  load(): void;
  /** Sends a request with an API key. @returns the status; undefined if there was no response */
  get(secret?: string): Promise<number | undefined>;
  fires(...alerts: readonly string[]): Promise<void>;
  /**
   * Types the commands of an entry.
   *
   * @param between called after those that confirm the fault. It does what the entry leaves to other tools, such as
   * renewing a certificate
   */
  types(alert: string, between?: () => void | Promise<void>): Promise<void>;
  /** Waits until an alert fires, types the commands of its entry, and waits until it has cleared. */
  proves(alert: string, between?: () => void | Promise<void>): Promise<void>;
  clears(...alerts: readonly string[]): Promise<void>;
  /** Adds an account with 1,000,000 requests a minute, and a key. @returns the key */
  newKey(): Promise<string>;
}

/** What became of the alerts of all drills. */
export interface Outcome {
  readonly fired: Set<string>;
  readonly typed: Set<string>;
  readonly cleared: Set<string>;
}

let lastStart: Promise<unknown> = Promise.resolve();

/** Starts services one after another: on a busy machine, several at once would reach their timeouts. */
function inTurn<T>(start: () => Promise<T>): Promise<T> {
  const started = lastStart.then(start);
  lastStart = started.catch(() => {});
  return started;
}

/**
 * Starts a service with its own Redis, and runs one fault.
 *
 * @param report called with each step
 */
export async function runDrill(
  { name, settings, redis: options = [], watched = true, run }: Fault,
  prometheus: Prometheus,
  root: string,
  outcome: Outcome,
  report: (text: string) => void,
): Promise<void> {
  const directory = join(root, name);
  mkdirSync(directory);
  const job = `inventory-${name}`;
  const users = join(directory, "users.acl");
  writeFileSync(users, `${aclLine("inventory", password)}\n`);
  const redis = await startRedisServer("--appendonly", "yes", "--aclfile", users, ...options);
  const serviceUrl = redis.url.replace("redis://", `redis://inventory:${password}@`);
  const stores = openRedisStores(redis.url);
  const end = new AbortController();
  const own: { service?: Service } = {};
  let shell: Shell | undefined;
  try {
    const started = await inTurn(async () => {
      await stores.ready(5_000);
      await stores.catalog.put(itemsFrom(1n, 500, 5), {
        ...unknownOrigin,
        reason: ChangeReason.IMPORT,
      });
      own.service = await createService(directory, {
        REDIS_URL: serviceUrl,
        ...settings?.(directory),
      });
      await own.service.start();
      return own.service;
    });
    const units: Record<string, Unit> = {
      inventory: {
        async restart() {
          await started.stop();
          await started.start();
        },
        reload: () => started.signal("SIGHUP"),
        pid: () => started.pid,
      },
      "redis-server": {
        async restart() {
          await redis.kill();
          await redis.start();
        },
      },
      prometheus: { reload: prometheus.reload },
    };
    const scheme = settings?.(directory).TLS_CERT === undefined ? "http" : "https";
    const url = `${scheme}://127.0.0.1:${started.port}`;
    const variables: Record<string, string> = {
      ADMIN: `http://127.0.0.1:${started.adminPort}`,
      SERVICE: url,
      REDIS: redis.url,
      REDIS_URL: serviceUrl,
      SETTINGS: started.settingsFile,
      PROMETHEUS: prometheus.url,
      INVENTORY_LOG: started.logFile,
    };
    const opened = await openShell(directory, units, variables);
    shell = opened;
    let accounts = 0;

    async function newKey(): Promise<string> {
      accounts += 1;
      const limits = { perMinute: 1_000_000, perDay: 1_000_000_000 };
      const id = `${accounts}`.padStart(12, "0");
      const { secret } = await addKey(
        stores,
        await addAccount(stores, { plan: "enterprise", limits }, id),
      );
      return secret;
    }
    const ownKey = await newKey();

    async function get(secret = ownKey): Promise<number | undefined> {
      const headers = { authorization: `Bearer ${secret}` };
      const signal = AbortSignal.timeout(5_000);
      const reply = await fetch(`${url}/v1/inventory/1`, { headers, signal }).catch(
        () => undefined,
      );
      await reply?.arrayBuffer().catch(() => undefined);
      return reply?.status;
    }

    /** Waits until alerts are in a state; undefined means that they are not pending either. */
    async function reach(state: "firing" | undefined, alerts: readonly string[]): Promise<void> {
      await Promise.all(
        alerts.map(async (alert) => {
          await until(
            `${alert} of ${job} is ${state ?? "clear"}`,
            async () => {
              const found = await prometheus.alerts(job);
              const own = found.filter(({ labels }) => labels.alertname === alert);
              const isThere = own.some((each) => each.state === (state ?? each.state));
              await delay(200);
              return isThere === (state === "firing");
            },
            alertTimeoutMs,
          );
          report(`${alert} ${state === "firing" ? "fires" : "is clear"}`);
          outcome[state === "firing" ? "fired" : "cleared"].add(alert);
        }),
      );
    }

    const types: Drill["types"] = async (alert, between) => {
      const { confirm, repair } = commandsOf(alert);
      for (const block of confirm) await opened.type(block);
      await between?.();
      for (const block of repair) await opened.type(block);
      report(`${alert}: typed ${confirm.length + repair.length} blocks of commands`);
      outcome.typed.add(alert);
    };

    if (watched) {
      prometheus.addTarget(job, started.adminPort);
      const isUp = async () => (await prometheus.value("up", job)) === 1;
      await until("Prometheus reads the metrics of the service", isUp, scrapeTimeoutMs);
    }
    await run({
      directory,
      job,
      service: started,
      redis,
      stores,
      url,
      prometheus,
      units,
      variables,
      newKey,
      get,
      load() {
        void (async () => {
          while (!end.signal.aborted) {
            await get();
            await delay(loadPauseMs);
          }
        })();
      },
      fires: (...alerts) => reach("firing", alerts),
      clears: (...alerts) => reach(undefined, alerts),
      types,
      async proves(alert, between) {
        await reach("firing", [alert]);
        await types(alert, between);
        await reach(undefined, [alert]);
      },
    });
  } finally {
    end.abort();
    shell?.close();
    await own.service?.stop("SIGKILL");
    await stores.close();
    await redis.stop();
  }
}
