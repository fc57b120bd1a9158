import { Code } from "@connectrpc/connect";
import { Redis } from "ioredis";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { PetStatus } from "../../../gen/inventory/v1/inventory_pb.ts";
import { type App, createApp } from "../../../src/app/app.ts";
import { readConfig } from "../../../src/config/config.ts";
import { reasonOf } from "../../../src/contract/errors.ts";
import { createLog } from "../../../src/observability/log/log.ts";
import { newestChangeKey, stockRunKey } from "../../../src/stores/redis/keys.ts";
import type { Stores } from "../../../src/stores/stores.ts";
import { addAccount, addKey } from "../../support/accounts.ts";
import { openRedisStores } from "../../support/redis-stores.ts";
import { grpc, startWatch, versionsOf, type Watch } from "../../support/watch.ts";
import { type RedisServer, startRedisServer } from "../harness/redis-server.ts";
import { until } from "../harness/until.ts";
import { useRedisProxy } from "./redis-proxy.ts";

const proxy = useRedisProxy();

/** The resources of one test. */
interface Running {
  readonly primary: RedisServer;
  readonly redis: Redis;
  readonly stores: Stores;
  readonly app: App;
  readonly url: string;
  /** Called at the end of the test, in reverse order. */
  readonly closing: (() => unknown)[];
}
const own: { running?: Running; secret: string } = { secret: "" };

function running(): Running {
  if (!own.running) throw new Error("Use this only while a test runs.");
  return own.running;
}

beforeEach(async () => {
  const closing: (() => unknown)[] = [];
  const primary = await startRedisServer("--repl-diskless-sync-delay", "0");
  closing.push(primary.stop);
  proxy.target = primary.port;
  proxy.onRequest = () => {};
  const redis = clientOf(primary);
  closing.push(() => redis.disconnect());
  const stores = openRedisStores(proxy.url);
  closing.push(() => stores.close());
  await stores.ready(5_000);
  const app = createApp(readConfig({ PORT: "0" }), stores, createLog("silent"));
  closing.push(() => app.drain(0));
  const { url } = await app.listen(0, "127.0.0.1");
  own.running = { primary, redis, stores, app, url, closing };
  await newKey();
});
afterEach(async () => {
  for (const close of running().closing.reverse()) await close();
});

function clientOf(server: RedisServer): Redis {
  const client = new Redis(server.url);
  client.on("error", () => {}); // the client reconnects
  return client;
}

/** Creates an account and a key. Replaced data may not have them. */
async function newKey(): Promise<void> {
  const { stores } = running();
  await addAccount(stores).catch(() => {});
  own.secret = (await addKey(stores, "aaaaaaaaaaaa")).secret;
}

/** A way to lose changes. `prepare` saves the current data and returns a function that restores it. */
interface Loss {
  readonly name: string;
  prepare(running: Running): Promise<() => Promise<unknown>>;
}

const losses: readonly Loss[] = [
  {
    name: "a restart from an older snapshot",
    async prepare({ primary, redis }) {
      await redis.save();
      return async () => {
        await primary.kill();
        await primary.start();
      };
    },
  },
  {
    name: "a failover to a stale replica",
    async prepare({ primary, redis, closing }) {
      const replica = await startRedisServer();
      closing.push(replica.stop);
      const client = clientOf(replica);
      closing.push(() => client.disconnect());
      await client.replicaof("127.0.0.1", primary.port);
      const newest = await redis.get(newestChangeKey);
      await until("the replica is in step", async () => {
        const isUp = (await client.info("replication")).includes("master_link_status:up");
        return isUp && (await client.get(newestChangeKey)) === newest;
      });
      // The replica receives no more changes.
      await client.replicaof("NO", "ONE");
      return async () => {
        proxy.target = replica.port;
        await primary.kill();
      };
    },
  },
  {
    name: "FLUSHALL",
    prepare:
      async ({ redis }) =>
      () =>
        redis.flushall(),
  },
  {
    name: "a restore",
    async prepare({ redis }) {
      const keys = await redis.keys("*");
      const dumps = await Promise.all(keys.map((key) => redis.dumpBuffer(key)));
      return async () => {
        const restore = redis.multi().flushall();
        keys.forEach((key, at) => {
          restore.restore(key, 0, dumps[at] ?? "");
        });
        await restore.exec();
      };
    },
  },
];

/** Sets the quantities of pets 1, 2, …, creating missing ones. Each is one change. */
async function put(...quantities: readonly number[]): Promise<void> {
  for (const quantity of quantities) {
    const item = { petId: 1n, quantity, status: PetStatus.AVAILABLE };
    await until("the stock can be changed", () =>
      running()
        .stores.catalog.put([item])
        .catch(() => undefined),
    );
  }
}

async function send(path: string, headers: Record<string, string>, body?: string) {
  const method = body === undefined ? "GET" : "PATCH";
  const authorization = `Bearer ${own.secret}`;
  const reply = await fetch(running().url + path, {
    method,
    headers: { authorization, ...headers },
    signal: AbortSignal.timeout(5_000),
    ...(body !== undefined && { body }),
  });
  return { status: reply.status, etag: reply.headers.get("etag") ?? "", body: await reply.text() };
}

function watch(token = ""): Watch {
  return startWatch(grpc, { url: running().url, secret: own.secret, token });
}

async function versionNow(): Promise<bigint> {
  return (await running().stores.inventory.page(undefined, 1)).version;
}

/** Starts two watches that know all changes: one received them live, the other in its snapshot. */
async function openWatches(): Promise<readonly Watch[]> {
  const first = watch();
  await until("the watch has begun", () => first.token !== "");
  await put(11, 12, 13);
  await first.reached(await versionNow());
  const second = watch();
  await second.reached(await versionNow());
  return [first, second];
}

async function expectReset(ended: Watch): Promise<void> {
  const failure = await ended.failure();
  expect([failure.code, reasonOf(failure)]).toEqual([Code.OutOfRange, "WATCH_EXPIRED"]);
}

describe.each(losses)("after $name", ({ prepare }) => {
  test("open watches end with OUT_OF_RANGE even if the first reads fail", async () => {
    await put(1, 2);
    const lose = await prepare(running());
    const watches = await openWatches();
    let failures = 0;
    proxy.onRequest = (data) => {
      if (failures < 3 && data.includes(newestChangeKey)) {
        failures += 1;
        proxy.drop();
      }
    };
    await lose();
    await Promise.all(watches.map(expectReset));
    expect(failures).toBe(3);
  });

  test("410 for a resume token and 412 for an ETag of a lost version, after as many new changes", async () => {
    await put(1, 2);
    const lose = await prepare(running());
    const watches = await openWatches();
    const lostList = await send("/v1/inventory", {});
    const lostItem = await send("/v1/inventory/1", {});
    expect([lostList.status, lostItem.status]).toEqual([200, 200]);
    const [{ token } = { token: "" }] = watches;
    const before = watches.map(({ received }) => versionsOf(received));

    await lose();
    // As many changes as were lost: a version that only counts changes would match a lost one.
    await put(1, 2, 21, 22, 23);
    await newKey();
    await Promise.all(watches.map(expectReset));
    expect(watches.map(({ received }) => versionsOf(received))).toEqual(before);

    await expectReset(watch(token));
    const resumed = await send("/v1/inventory:watch", { "last-event-id": token });
    expect(resumed.status).toBe(410);
    for (const [path, { etag }] of [
      ["/v1/inventory", lostList],
      ["/v1/inventory/1", lostItem],
    ] as const) {
      const read = await send(path, { "if-none-match": etag });
      expect([read.status, read.body]).toEqual([200, expect.stringContaining('"quantity":23')]);
      expect(read.etag).not.toBe(etag);
      expect((await send(path, { "if-none-match": read.etag })).status).toBe(304);
    }
    const conditional = { "content-type": "application/json", "if-match": lostItem.etag };
    const change = await send("/v1/inventory/1", conditional, '{"quantity":9}');
    expect(change.status).toBe(412);
    expect((await running().stores.inventory.get(1n))?.quantity).toBe(23);
  });
});

// Two servers whose clocks differ: the versions are ahead of the clock of the second one when it continues.
describe.each(losses.slice(0, 2))("if the clock was 10 s ahead before $name", ({ prepare }) => {
  test("no version is issued again, and 412 for a lost version", async () => {
    await put(1);
    const { redis, stores } = running();
    const tenSeconds = 10_000_000n;
    const ahead = (await versionNow()) + tenSeconds;
    await redis.set(newestChangeKey, `${ahead}-1`);
    await put(2);
    expect(await versionNow()).toBe(ahead + 1n);
    const lose = await prepare(running());
    const lost = await versionsOfChanges(30);
    const lostItem = await send("/v1/inventory/1", {});

    await lose();
    const next = await versionsOfChanges(60);
    expect(next.filter((version) => lost.includes(version))).toEqual([]);
    expect(next.every((version, at) => at === 0 || version > (next[at - 1] ?? 0n))).toBe(true);
    await newKey();
    const conditional = { "content-type": "application/json", "if-match": lostItem.etag };
    expect((await send("/v1/inventory/1", conditional, '{"quantity":9}')).status).toBe(412);
    for (const version of lost) {
      const read = await stores.inventory.changesSince(version, 1).catch(() => undefined);
      expect([version, read]).toEqual([version, undefined]);
    }
  });
});

async function versionsOfChanges(count: number): Promise<bigint[]> {
  const versions: bigint[] = [];
  for (let at = 0; at < count; at++) {
    await put(at);
    versions.push(await versionNow());
  }
  return versions;
}

test("versions stay exact after more failovers than 2^53 has room for", async () => {
  const { redis, stores } = running();
  await put(1);
  const limit = 2n ** 52n;
  const clock = BigInt(Date.now()) * 1_000n;
  await redis.set(stockRunKey, `${"f".repeat(40)} ${limit - clock + 1_000_000_000n}`);
  await put(2);
  const first = await versionNow();
  await redis.set(stockRunKey, `${"e".repeat(40)} ${limit - clock + 1_000_000_000n}`);
  await put(3);
  const second = await versionNow();
  expect(second).toBeGreaterThan(first);
  expect(second - first).toBeLessThan(60_000_000n);
  expect(second).toBeLessThan(2n ** 53n);
  expect((await stores.inventory.get(1n))?.version).toBe(second);
});

test("versions keep the stored lead on a server without a run id", async () => {
  const { primary, redis, closing } = running();
  const clock = Date.now();
  // With a clock of their own, stores do not know the run of the server.
  const stores = openRedisStores(primary.url, { now: () => clock });
  closing.push(() => stores.close());
  await stores.ready(5_000);
  const create = (petId: bigint) =>
    stores.catalog.create({ petId, quantity: 1, status: PetStatus.AVAILABLE });
  await create(101n);
  expect(await versionNow()).toBe(BigInt(clock) * 1_000n);
  await redis.set(stockRunKey, `${"f".repeat(40)} 5000000000`);
  await create(102n);
  expect(await versionNow()).toBe(BigInt(clock) * 1_000n + 5_000_000_000n);
  expect(await redis.get(stockRunKey)).toBe(`${"f".repeat(40)} 5000000000`);
});
