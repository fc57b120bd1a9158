import { afterAll, beforeAll, expect } from "vitest";
import { PetStatus } from "../../gen/inventory/v1/inventory_pb.ts";
import { createRedisStores } from "../../src/redis/stores.ts";
import type { Stores } from "../../src/stores.ts";
import { addAccount, addKey } from "../support/accounts.ts";
import { useRedis } from "../support/stores.ts";
import { recoverWithinMs, tellWithinMs } from "./bounds.ts";
import { type Client, connectClient, grpcClient, keepAlive, restClient } from "./client.ts";
import { type ServerProcess, useServers } from "./server-process.ts";
import {
  codesOf,
  createTraffic,
  createUpdater,
  probe,
  type Sample,
  slowest,
  type Traffic,
  type Updater,
} from "./traffic.ts";

/** Limit for what comes before an outage, in ms: nothing is promised of it, and the machine may be busy. */
export const setUpMs = 30_000;

/** A server on a Redis of its own, with traffic of every kind that it must withstand. */
export interface Outage {
  readonly redis: ReturnType<typeof useRedis>;
  readonly server: ServerProcess;
  readonly traffic: Traffic;
  readonly updaters: readonly Updater[];
  /** Workers' samples, by the start of their names. */
  of(prefix: string): Sample[];
  /** Waits until each worker has had an answer to a request that was sent after a time. */
  answeredSince(time: number): Promise<void>;
  /** What Redis holds now. */
  quantityOf(petId: bigint): Promise<number | undefined>;
  /** A worker that is allowed everything. */
  client(): Client;
}

/**
 * To be called once in a test file.
 *
 * Workers, 32 in all beside the two that ask for health:
 * - `good …`: a valid key that has no limit to speak of, by all protocols; half of them update
 * - `limited …`: a key whose quota for the day is used up
 * - `revoked …`: a key that was revoked
 */
export function useOutage(...redisOptions: readonly string[]): Outage {
  const redis = useRedis(...redisOptions);
  const servers = useServers();
  const traffic = createTraffic();
  const updaters: Updater[] = [];
  const own: { server?: ServerProcess; stores?: Stores; good?: string } = {};

  const ownServer = () => present(own.server);
  const of = (prefix: string) => traffic.samples.filter(({ worker }) => worker.startsWith(prefix));

  beforeAll(async () => {
    redis.client.on("error", () => {}); // it connects again, as the server does
    const stores = createRedisStores(redis.url);
    own.stores = stores;
    await stores.ready(5_000);
    const unlimited = { perMinute: 1_000_000, perDay: 1_000_000_000 };
    await addAccount(stores, { plan: "enterprise", limits: unlimited }, "vastaaaaaaaa");
    own.good = (await addKey(stores, "vastaaaaaaaa")).secret;
    const revoked = await addKey(stores, "vastaaaaaaaa");
    await stores.accounts.revokeKey(revoked.keyId);
    const few = { perMinute: 2, perDay: 2 };
    await addAccount(stores, { plan: "enterprise", limits: few }, "fewaaaaaaaaa");
    const limited = await addKey(stores, "fewaaaaaaaaa");
    await stores.admission.admitKey("fewaaaaaaaaa", limited.keyHash);
    await stores.admission.admitKey("fewaaaaaaaaa", limited.keyHash);

    const server = await servers.start({
      REDIS_URL: redis.url,
      ANONYMOUS_PER_MINUTE: "1000000",
      ANONYMOUS_PER_DAY: "1000000000",
    });
    own.server = server;
    const { url } = server;
    const single = () => keepAlive(1);
    const kinds: readonly (readonly [string, number, (key: string) => Client])[] = [
      ["rest", 18, (key) => restClient(url, key, single())],
      ["connect", 6, (key) => connectClient(url, key, single())],
      ["grpc", 4, (key) => grpcClient(url, key)],
    ];
    let petId = 0n;
    for (const [kind, count, open] of kinds) {
      for (let index = 0; index < count; index++) {
        const client = open(own.good);
        if (index % 2 === 0) {
          petId += 1n;
          await stores.inventory.create({ petId, quantity: 0, status: PetStatus.AVAILABLE });
          const updater = createUpdater(`good update ${kind} ${index}`, client, petId);
          updaters.push(updater);
          traffic.add(updater.worker, updater.next);
        } else {
          traffic.add(`good read ${kind} ${index}`, client.list);
        }
      }
    }
    for (const [name, key] of [
      ["limited", limited.secret],
      ["revoked", revoked.secret],
    ] as const) {
      traffic.add(`${name} rest`, restClient(url, key, single()).list);
      traffic.add(`${name} grpc`, grpcClient(url, key).list);
    }
    traffic.add("livez", probe(`${url}/livez`));
    traffic.add("readyz", probe(`${url}/readyz`));
  }, setUpMs);
  afterAll(async () => {
    await traffic.stop();
    await own.stores?.close();
  });

  return {
    redis,
    traffic,
    updaters,
    get server() {
      return ownServer();
    },
    of,
    async answeredSince(time) {
      const workers = new Set(traffic.samples.map(({ worker }) => worker));
      await expect
        .poll(
          () => {
            const late = traffic.samples.filter(({ sentAt }) => sentAt > time);
            return new Set(late.map(({ worker }) => worker)).size;
          },
          { interval: 10, timeout: 5_000 },
        )
        .toBe(workers.size);
    },
    async quantityOf(petId) {
      const stores = present(own.stores);
      await stores.ready(5_000);
      return (await stores.inventory.get(petId))?.quantity;
    },
    client: () => restClient(ownServer().url, present(own.good), keepAlive(1)),
  };
}

function present<T>(value: T | undefined): T {
  if (value === undefined) {
    throw new Error("the server runs only while tests do");
  }
  return value;
}

/** What every answer must be, whatever happens to Redis and whenever. */
export function expectHonest({ of, server, traffic }: Outage): void {
  // No connection was reset, no request hung, every error has the form of its protocol.
  expect(traffic.samples.filter(({ code }) => code === "broken")).toEqual([]);
  expect(codesOf(of("good"))).toEqual(["ok", "unavailable"]);
  expect(codesOf(of("limited"))).toEqual(["resource_exhausted", "unavailable"]);
  expect(codesOf(of("revoked"))).toEqual(["unauthenticated", "unavailable"]);
  expect(codesOf(of("livez"))).toEqual(["ok"]);
  expect(codesOf(of("readyz"))).toEqual(["ok", "unavailable"]);
  const refused = traffic.samples.filter(({ code }) => code === "unavailable");
  expectTimely(traffic.samples);
  // That Redis is away is no bug of the service.
  expect(server.stdout).not.toContain('"level":50');
  expect(server.stderr).toBe("");
  const ofService = refused.filter(({ worker }) => worker !== "readyz");
  expect([...new Set(ofService.map(({ retryAfter }) => retryAfter))]).toEqual(["1"]);
  for (const message of new Set(ofService.map(({ message }) => message))) {
    expect(message).toMatch(
      /^The store is not available\.(?: The change may or may not have been made\.)? Retry in 1 s\.$/,
    );
  }
}

/**
 * Holds that whoever was refused was told so in time. What the machine itself took, busy as it may be,
 * is told by the requests that ask nothing of Redis.
 */
function expectTimely(samples: readonly Sample[]): void {
  const control = slowest(samples.filter(({ worker }) => worker === "livez"));
  expect(control).toBeLessThan(2 * tellWithinMs);
  const refused = samples.filter(({ code }) => code === "unavailable");
  expect(slowest(refused)).toBeLessThan(tellWithinMs + control);
}

/** Samples of requests that were sent and answered between two times. */
export function within(samples: readonly Sample[], from: number, to: number): Sample[] {
  return samples.filter(({ sentAt, endedAt }) => sentAt > from && endedAt < to);
}

/** Holds that the service came back by itself, soon after Redis was back. */
export function expectRecovered({ of }: Outage, back: number): void {
  const answers = of("good").filter(({ code, endedAt }) => code === "ok" && endedAt > back);
  const first = new Map<string, number>();
  for (const { worker, endedAt } of answers) {
    first.set(worker, Math.min(first.get(worker) ?? endedAt, endedAt));
  }
  const all = Math.max(...first.values());
  expect(first.size).toBe(new Set(of("good").map(({ worker }) => worker)).size);
  expect(all - back).toBeLessThan(recoverWithinMs);
  // Once it is back it stays.
  const later = of("good").filter(({ sentAt }) => sentAt > all);
  expect(later.length).toBeGreaterThan(0);
  expect(codesOf(later)).toEqual(["ok"]);
}
