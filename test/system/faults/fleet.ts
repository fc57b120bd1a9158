import { Http2SessionManager } from "@connectrpc/connect-node";
import { afterAll, beforeAll, expect } from "vitest";
import { PetStatus } from "../../../gen/inventory/v1/inventory_pb.ts";
import { newAccountId } from "../../../src/access/api-key.ts";
import { present } from "../../../src/common/present.ts";
import { readRedisConfig } from "../../../src/config/config.ts";
import type { Stores } from "../../../src/stores/stores.ts";
import { addAccount, addKey } from "../../support/accounts.ts";
import { openRedisStores } from "../../support/redis-stores.ts";
import { type ServerProcess, useServers } from "../harness/server-process.ts";
import { untilReached } from "../harness/until.ts";
import { type Adjuster, createAdjuster } from "./adjuster.ts";
import { failWithinMs, recoverWithinMs, setUpMs } from "./bounds.ts";
import {
  type Client,
  connectClient,
  grpcClient,
  grpcWebClient,
  keepAlive,
  restClient,
} from "./client.ts";
import { createSpenders, type Spenders } from "./spenders.ts";
import { codesOf, createTraffic, probe, type Sample, slowest, type Traffic } from "./traffic.ts";

/** The settings of a service, by the names of its environment variables. */
export type Environment = Readonly<Record<string, string>>;

/** All protocols. The clients of one worker share its connection. */
const protocols = {
  rest: (url) => {
    const agent = keepAlive(1);
    return (key) => restClient(url, key, agent);
  },
  connect: (url) => {
    const agent = keepAlive(1);
    return (key) => connectClient(url, key, agent);
  },
  grpc: (url) => {
    const session = new Http2SessionManager(url);
    return (key) => grpcClient(url, key, session);
  },
  "grpc-web": (url) => {
    const agent = keepAlive(1);
    return (key) => grpcWebClient(url, key, agent);
  },
} as const satisfies Record<string, (url: string) => (key: string) => Client>;

/** The pause of a worker between two requests, in ms. It leaves time to change the cluster on a small machine. */
const pauseMs = 20;

/** The quota of the accounts that the spenders use, per minute. */
export const smallQuota = 100;

/** Number of accounts for the spenders. */
const smallAccounts = 300;

/** A limit per minute that no test reaches. */
const unlimited = 1_000_000_000;

/** Pets that all adjusters share. */
const petIds = [1n, 2n, 3n] as const;

/** Two server processes under load. */
export interface Fleet {
  readonly servers: readonly ServerProcess[];
  /** A key without practical limits. */
  readonly key: string;
  /** Stores of the test, with the settings of the servers. */
  readonly stores: Stores;
  readonly traffic: Traffic;
  readonly adjusters: readonly Adjuster[];
  readonly spenders: Spenders;
  readonly accountIds: readonly string[];
  /** The samples of all workers whose names begin with a prefix. */
  of(prefix: string): Sample[];
  /** Waits until each worker has had this many more responses. */
  more(responses: number): Promise<void>;
  /** The sum of the current quantities of all pets, which is the number of adjustments. */
  quantity(): Promise<number>;
}

/**
 * Starts two servers and their traffic over four protocols. Call it once in a test file, after what starts Redis.
 *
 * - `good adjust …`: adjusts a pet
 * - `good read …`: lists the stock
 * - `spend …`: spends the small quotas of one account after another
 * - `livez`: a health check, which does not use Redis
 *
 * @param environment returns the settings of Redis
 */
export function useFleet(environment: () => Environment): Fleet {
  const pool = useServers();
  const traffic = createTraffic(pauseMs);
  const adjusters: Adjuster[] = [];
  const accountIds: string[] = [];
  const own: {
    servers?: readonly ServerProcess[];
    key?: string;
    stores?: Stores;
    spenders?: Spenders;
  } = {};
  const of = (prefix: string) => traffic.samples.filter(({ worker }) => worker.startsWith(prefix));

  async function newKey(stores: Stores, perMinute: number) {
    const accountId = newAccountId();
    const limits = { perMinute, perDay: 1_000_000_000 };
    await addAccount(stores, { plan: "enterprise", limits }, accountId);
    accountIds.push(accountId);
    return { accountId, secret: (await addKey(stores, accountId)).secret };
  }

  beforeAll(async () => {
    const redis = present(readRedisConfig(environment()), "the URL of Redis");
    const stores = openRedisStores(redis);
    own.stores = stores;
    await stores.ready(10_000);
    for (const petId of petIds) {
      await stores.catalog.create({ petId, quantity: 0, status: PetStatus.AVAILABLE });
    }
    const small = [];
    for (let index = 0; index < smallAccounts; index++) {
      small.push(await newKey(stores, smallQuota));
    }
    own.spenders = createSpenders(small);
    own.key = (await newKey(stores, unlimited)).secret;
    const settings = { ...environment(), HISTORY_LENGTH: "100000000" };
    own.servers = await Promise.all([pool.start(settings), pool.start(settings)]);
    let number = 0;
    for (const [server, { url }] of own.servers.entries()) {
      for (const [protocol, open] of Object.entries(protocols)) {
        const name = `${protocol} ${server}`;
        const adjusting = await newKey(stores, unlimited);
        const petId = petIds[number % petIds.length] ?? 1n;
        const client = open(url)(adjusting.secret);
        const adjuster = createAdjuster(`good adjust ${name}`, client, petId);
        adjusters.push(adjuster);
        traffic.add(adjuster.worker, adjuster.next);
        const reading = await newKey(stores, unlimited);
        traffic.add(`good read ${name}`, open(url)(reading.secret).list);
        traffic.add(`spend ${name}`, own.spenders.caller(open(url)));
        number += 1;
      }
    }
    traffic.add("livez", probe(`${own.servers[0]?.url}/livez`));
  }, setUpMs);
  afterAll(async () => {
    await traffic.stop();
    await own.stores?.close();
  });

  return {
    traffic,
    adjusters,
    accountIds,
    of,
    get servers() {
      return present(own.servers, "the list of servers");
    },
    get key() {
      return present(own.key, "the key");
    },
    get stores() {
      return present(own.stores, "the connection to the database");
    },
    get spenders() {
      return present(own.spenders, "the list of spenders");
    },
    async more(responses) {
      const before = countByWorker(traffic.samples);
      const least = () => {
        const now = countByWorker(traffic.samples);
        const more = (worker: string) => (now.get(worker) ?? 0) - (before.get(worker) ?? 0);
        return Math.min(...traffic.active().map(more));
      };
      await untilReached("the fewest responses that a worker had", least, responses);
    },
    async quantity() {
      const { inventory } = present(own.stores, "the connection to the database");
      const items = await Promise.all(petIds.map((petId) => inventory.get(petId)));
      return items.reduce((sum, item) => sum + (item?.quantity ?? Number.NaN), 0);
    },
  };
}

function countByWorker(samples: readonly Sample[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { worker } of samples) counts.set(worker, (counts.get(worker) ?? 0) + 1);
  return counts;
}

/** Checks what must hold for every response, whatever happens to Redis. */
export function expectHonest({ traffic, of, servers }: Fleet): void {
  // No connection was reset, no request hung, and every error has the form of its protocol.
  expect(traffic.samples.filter(({ code }) => code === "broken").slice(0, 5)).toEqual([]);
  expect(["ok", "unavailable"]).toEqual(expect.arrayContaining(codesOf(of("good"))));
  expect(["ok", "resource_exhausted", "unavailable"]).toEqual(
    expect.arrayContaining(codesOf(of("spend"))),
  );
  // The latency of requests that do not use Redis shows how much the machine itself added, in each of several steps.
  const control = slowest(of("livez"));
  const refused = traffic.samples.filter(({ code }) => code === "unavailable");
  expect(slowest(refused)).toBeLessThan(failWithinMs + 3 * control);
  for (const { stdout, stderr } of servers) {
    expect(stdout).not.toContain('"level":50');
    expect(stderr).toBe("");
  }
}

/** A time in which requests may fail, in ms of `performance.now()`. */
export interface Window {
  readonly from: number;
  readonly to: number;
}

/** Checks that at most 1 % of requests fail that are sent and answered outside of all windows. */
export function expectFewErrors(samples: readonly Sample[], windows: readonly Window[] = []): void {
  const outside = samples.filter(({ sentAt, endedAt }) =>
    windows.every(({ from, to }) => endedAt < from || sentAt > to),
  );
  const failed = outside.filter(({ code }) => code === "unavailable");
  expect(outside.length).toBeGreaterThan(0);
  const messages = [...new Set(failed.map(({ message }) => message))];
  expect(failed.length, messages.join("\n")).toBeLessThanOrEqual(outside.length / 100);
}

/**
 * Checks that every worker has a success that was sent after a time and received in time for a recovery. The latency
 * of requests that do not use Redis shows how much the machine itself added, in each of several steps.
 *
 * @param prefix of the names of the workers
 * @param after the time, in ms of `performance.now()`
 */
export function expectRecovered({ of }: Fleet, prefix: string, after: number): void {
  const ms = recoverWithinMs + 5 * slowest(of("livez"));
  const late = [];
  for (const [worker, all] of Map.groupBy(of(prefix), (each) => each.worker)) {
    const own = all.filter(({ sentAt }) => sentAt > after);
    if (own.some(({ code, endedAt }) => code === "ok" && endedAt < after + ms)) continue;
    const first = own.slice(0, 5).map(({ code, message, sentAt, endedAt }) => {
      const [from, to] = [sentAt, endedAt].map((time) => Math.round(time - after));
      return `${from} to ${to} ms: ${code} ${message}`;
    });
    late.push(`${worker}\n${first.join("\n")}`);
  }
  expect(late).toEqual([]);
}
