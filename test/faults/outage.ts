import { afterAll, beforeAll, expect } from "vitest";
import { PetStatus } from "../../gen/inventory/v1/inventory_pb.ts";
import type { Stores } from "../../src/stores/stores.ts";
import { addAccount, addKey } from "../support/accounts.ts";
import { openRedisStores } from "../support/redis-stores.ts";
import { useRedis } from "../support/stores.ts";
import { failWithinMs, recoverWithinMs } from "./bounds.ts";
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

/** Time limit for the setup before an outage, in ms. It is long, because the machine may be busy. */
export const setUpMs = 30_000;

/** A server on a separate Redis, with traffic of every kind. */
export interface Outage {
  readonly redis: ReturnType<typeof useRedis>;
  readonly server: ServerProcess;
  readonly traffic: Traffic;
  readonly updaters: readonly Updater[];
  /** The samples of all workers whose names begin with a prefix. */
  of(prefix: string): Sample[];
  /** Waits until each worker has received a response to a request that it sent after a time. */
  respondedSince(time: number): Promise<void>;
  /** The quantities that Redis has now. */
  quantityOf(petId: bigint): Promise<number | undefined>;
  /** A key without practical limits. */
  client(): Client;
}

/**
 * Starts the server and its traffic. Call it once in a test file.
 *
 * There are 32 workers, and two more for the health endpoints:
 * - `good …`: a valid key without practical limits, over all protocols; half of them update
 * - `limited …`: a key whose daily quota is used up
 * - `revoked …`: a revoked key
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
    redis.client.on("error", () => {}); // the client reconnects
    const stores = openRedisStores(redis.url);
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
    async respondedSince(time) {
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
    throw new Error("Use the server only while a test runs.");
  }
  return value;
}

/** Checks what must hold for every response, whatever happens to Redis. */
export function expectHonest({ of, server, traffic }: Outage): void {
  // No connection was reset, no request hung, and every error has the form of its protocol.
  expect(traffic.samples.filter(({ code }) => code === "broken")).toEqual([]);
  expect(codesOf(of("good"))).toEqual(["ok", "unavailable"]);
  expect(codesOf(of("limited"))).toEqual(["resource_exhausted", "unavailable"]);
  expect(codesOf(of("revoked"))).toEqual(["unauthenticated", "unavailable"]);
  expect(codesOf(of("livez"))).toEqual(["ok"]);
  expect(codesOf(of("readyz"))).toEqual(["ok", "unavailable"]);
  const refused = traffic.samples.filter(({ code }) => code === "unavailable");
  expectTimely(traffic.samples);
  // An outage of Redis is not logged as a bug.
  expect(server.stdout).not.toContain('"level":50');
  expect(server.stderr).toBe("");
  const ofService = refused.filter(({ worker }) => worker !== "readyz");
  expect([...new Set(ofService.map(({ retryAfter }) => retryAfter))]).toEqual(["1"]);
  for (const message of new Set(ofService.map(({ message }) => message))) {
    expect(message).toMatch(
      /^The database is not available\.(?: (?:The change may or may not have been made|Nothing was changed)\.)? Retry in 1 s\.$/,
    );
  }
}

/**
 * Checks that every refusal was in time. The latency of requests that do not use Redis shows how much the
 * machine itself added: the limit is longer by that time.
 */
function expectTimely(samples: readonly Sample[]): void {
  const control = slowest(samples.filter(({ worker }) => worker === "livez"));
  expect(control).toBeLessThan(2 * failWithinMs);
  const refused = samples.filter(({ code }) => code === "unavailable");
  expect(slowest(refused)).toBeLessThan(failWithinMs + control);
}

/** The samples whose request and response were both between two times. */
export function within(samples: readonly Sample[], from: number, to: number): Sample[] {
  return samples.filter(({ sentAt, endedAt }) => sentAt > from && endedAt < to);
}

/** Checks that the service recovered without help, in time after Redis was back. */
export function expectRecovered({ of }: Outage, back: number): void {
  const successes = of("good").filter(({ code, endedAt }) => code === "ok" && endedAt > back);
  const first = new Map<string, number>();
  for (const { worker, endedAt } of successes) {
    first.set(worker, Math.min(first.get(worker) ?? endedAt, endedAt));
  }
  const all = Math.max(...first.values());
  expect(first.size).toBe(new Set(of("good").map(({ worker }) => worker)).size);
  expect(all - back).toBeLessThan(recoverWithinMs);
  // After the recovery, no request fails.
  const later = of("good").filter(({ sentAt }) => sentAt > all);
  expect(later.length).toBeGreaterThan(0);
  expect(codesOf(later)).toEqual(["ok"]);
}
