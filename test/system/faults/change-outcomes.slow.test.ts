import { Code, type ConnectError } from "@connectrpc/connect";
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { PetStatus } from "../../../gen/inventory/v1/inventory_pb.ts";
import { singleServer } from "../../../src/stores/redis/connection/settings.ts";
import { createRedisStores } from "../../../src/stores/redis/stores.ts";
import type { Stores } from "../../../src/stores/stores.ts";
import { addAccount, addKey } from "../../support/accounts.ts";
import { openRedisStores } from "../../support/redis-stores.ts";
import { useRedis } from "../../support/stores.ts";
import { startRedisServer } from "../harness/redis-server.ts";
import { until } from "../harness/until.ts";
import { useRedisProxy } from "./redis-proxy.ts";

const redis = useRedis("--repl-diskless-sync-delay", "0");
const proxy = useRedisProxy();

/** Opens stores whose commands go through the proxy. */
async function openStores(ackReplicas = 0): Promise<Stores> {
  const stores = createRedisStores({ ...singleServer(proxy.url), ackReplicas });
  onTestFinished(() => stores.close());
  await stores.ready(10_000);
  return stores;
}

/** Adjusts the pet by 1. @returns why it failed, and how many changes may have been made */
async function adjust(stores: Stores): Promise<readonly [cause: string | undefined, sent: number]> {
  const record = { storeMs: 0, changesSent: 0 };
  const cause = await stores.inventory.change({ petId: 1n, delta: 1 }, {}, { record }).then(
    () => undefined,
    (error: ConnectError) => String((error.cause as Error | undefined)?.message ?? error),
  );
  return [cause, record.changesSent];
}

function succeeds(work: Promise<unknown>): Promise<boolean> {
  return work.then(
    () => true,
    () => false,
  );
}

/** A pet that the stock does not have. */
const item = { petId: 2n, quantity: 1, status: PetStatus.SOLD };

async function quantity(): Promise<number> {
  return Number((await redis.client.hget("inv:{stock}:items", "1"))?.split(",")[0]);
}

beforeAll(async () => {
  proxy.target = redis.server.port;
  const stores = createRedisStores(redis.url);
  await stores.ready(10_000);
  await stores.catalog.put([{ petId: 1n, quantity: 1, status: PetStatus.AVAILABLE }]);
  await stores.close();
});
afterEach(() => {
  proxy.repliesLeft = Number.POSITIVE_INFINITY;
  proxy.onRequest = () => {};
});

test("a change that was made counts as sent, also if Redis first did not know its script", async () => {
  const stores = await openStores();
  await redis.client.script("FLUSH");
  expect(await adjust(stores)).toEqual([undefined, 1]);
  expect(await adjust(stores)).toEqual([undefined, 1]);
});

test("a change whose reply is lost counts as sent", async () => {
  const stores = await openStores();
  await adjust(stores);
  proxy.repliesLeft = 0;
  expect(await adjust(stores)).toEqual([expect.stringMatching(/^no reply within \d+ ms$/), 1]);
});

test("a change whose connection is closed before its reply counts as sent", async () => {
  const stores = await openStores();
  await adjust(stores);
  proxy.repliesLeft = 0;
  const change = adjust(stores);
  const { requests } = proxy;
  await until("the change is on its way", () => proxy.requests > requests);
  proxy.drop();
  expect(await change).toEqual(["the connection was closed", 1]);
});

test("a change without a connection does not count as sent", async () => {
  const stores = await openStores();
  await adjust(stores);
  proxy.target = 1;
  onTestFinished(() => {
    proxy.target = redis.server.port;
  });
  proxy.drop();
  const outcomes = new Set<number>();
  await until("the connection is lost", async () => (await adjust(stores))[1] === 0);
  for (let time = 0; time < 20; time += 1) {
    const [cause, sent] = await adjust(stores);
    expect(cause).toBeDefined();
    outcomes.add(sent);
  }
  expect([...outcomes]).toEqual([0]);
});

test("an entry of the audit trail does not count as a change", async () => {
  const stores = await openStores();
  const record = { storeMs: 0, changesSent: 0 };
  await stores.audit.append("{}", { record });
  expect(record.changesSent).toBe(0);
});

test("Redis says after the deadline that it is the primary: the change is not sent", async () => {
  const sent: string[] = [];
  proxy.onRequest = (data) => {
    const command = data.toString();
    sent.push(command);
    if (/\brole\b/i.test(command)) proxy.delayMs = 500;
  };
  const late = createRedisStores(proxy.url);
  onTestFinished(() => late.close());
  await expect(late.catalog.create(item)).rejects.toMatchObject({ code: Code.Unavailable });
  proxy.delayMs = 0;
  await until("Redis responds again", () => succeeds(late.ready(1_000)));
  // Any command of the change would have arrived before. The check of permissions names its keys, too.
  const changes = sent.filter((command) => command.includes("inv:{stock}:items"));
  expect(changes.filter((command) => !command.includes("acl_check_cmd"))).toEqual([]);
});

describe("a change that Redis refuses does not count as sent, and is not made", () => {
  test.each([
    ["OOM", "maxmemory", "1", "0"],
    ["NOREPLICAS", "min-replicas-to-write", "1", "0"],
  ])("%s", async (word, setting, on, off) => {
    const stores = await openStores();
    await adjust(stores);
    const before = await quantity();
    await redis.client.config("SET", setting, on);
    onTestFinished(() => redis.client.config("SET", setting, off).then());
    expect(await adjust(stores)).toEqual([expect.stringContaining(word), 0]);
    expect(await quantity()).toBe(before);
  });

  test("READONLY", async () => {
    const stores = await openStores();
    await adjust(stores);
    const before = await quantity();
    await redis.client.replicaof("127.0.0.1", "1");
    onTestFinished(() => redis.client.replicaof("NO", "ONE").then());
    expect(await adjust(stores)).toEqual([expect.stringContaining("READONLY"), 0]);
    expect(await quantity()).toBe(before);
  });
});

describe("without the replica that must have each change", () => {
  const own: { replica?: Awaited<ReturnType<typeof startRedisServer>> } = {};
  const replicas = async () =>
    (await redis.client.info("replication")).match(/state=online/g)?.length ?? 0;

  beforeAll(async () => {
    own.replica = await startRedisServer("--replicaof", "127.0.0.1", String(redis.server.port));
    await until("the replica has the data", async () => (await replicas()) === 1);
  });
  afterAll(() => own.replica?.stop());

  test("a change fails because of the replica, and may have been made", async () => {
    const stores = await openStores(1);
    await until("a change is acknowledged", async () => (await adjust(stores))[0] === undefined);
    own.replica?.pause();
    onTestFinished(() => own.replica?.resume());
    for (let time = 0; time < 5; time += 1) {
      expect(await adjust(stores)).toEqual(["0 of 1 replicas have the change", 1]);
    }
    // The server itself is quick, so reads have all of their time.
    proxy.delayMs = 200;
    onTestFinished(() => {
      proxy.delayMs = 0;
    });
    await expect(stores.inventory.get(1n)).resolves.toMatchObject({ petId: 1n });
  });

  test("no change fails while connections with new credentials replace the present ones", async () => {
    const settings = { ...singleServer(redis.url), ackReplicas: 1 };
    const patient = openRedisStores(settings);
    onTestFinished(() => patient.close());
    await patient.ready(5_000);
    const changes: Promise<unknown>[] = [];
    let pending = 0;
    for (let time = 0; time < 5; time += 1) {
      let isOver = false;
      const reconnected = patient.reconnect().finally(() => {
        isOver = true;
      });
      // In each event-loop tick, so that some wait for the replica, and others for them. Without a bound, they would
      // overload a slow machine.
      while (!isOver) {
        if (pending < 100) {
          pending += 1;
          const change = patient.inventory.change({ petId: 1n, delta: 1 });
          changes.push(change.finally(() => (pending -= 1)));
        }
        await new Promise((resolve) => setImmediate(resolve));
      }
      await reconnected;
    }
    await expect(Promise.all(changes)).resolves.not.toHaveLength(0);
  });

  test("unavailable within half a second for changes that no replica has, while reads and admissions succeed", async () => {
    const stores = await openStores(1);
    await until("a change is acknowledged", async () => (await adjust(stores))[0] === undefined);
    const { inventory, admission, accounts } = stores;
    const accountId = await addAccount(stores, { plan: "free" });
    const { keyHash } = await addKey(stores, accountId);
    own.replica?.pause();
    const pausedAt = performance.now();
    const changes = [
      inventory.change({ petId: 1n, quantity: 3 }),
      inventory.change({ petId: 1n, delta: 1 }),
      accounts.update(accountId, { choice: { plan: "pro" } }),
    ];
    const reads = [inventory.list(), inventory.get(1n), admission.admitKey(accountId, keyHash)];
    await expect(Promise.all(reads)).resolves.toHaveLength(3);
    for (const result of await Promise.allSettled(changes)) {
      expect(result).toMatchObject({ status: "rejected", reason: { code: Code.Unavailable } });
    }
    expect(performance.now() - pausedAt).toBeLessThan(500);
    own.replica?.resume();
    // They were made all the same: a caller is told only that they may have been made.
    expect(await quantity()).toBe(4);
  });

  test("of changes that arrive while others wait, each names the replicas, the unsent ones are not counted, and none is made later", async () => {
    const stores = await openStores(1);
    await until("a change is acknowledged", async () => (await adjust(stores))[0] === undefined);
    const before = await quantity();
    own.replica?.pause();
    onTestFinished(() => own.replica?.resume());
    const pausedAt = performance.now();
    const changes: ReturnType<typeof adjust>[] = [];
    // In more event-loop ticks than the time has room for if each waited for the replica alone.
    for (let tick = 0; tick < 20; tick += 1) {
      changes.push(adjust(stores));
      await new Promise((resolve) => setImmediate(resolve));
    }
    const results = await Promise.all(changes);
    expect(performance.now() - pausedAt).toBeLessThan(600);
    for (const [cause] of results) expect(cause).toMatch(/replicas/);
    const sent = results.reduce((sum, [, each]) => sum + each, 0);
    expect(await quantity()).toBe(before + sent);
    own.replica?.resume();
    const add = () => succeeds(stores.inventory.change({ petId: 1n, delta: 100 }));
    await until("a change is acknowledged", add);
    // Nothing was queued in the server: only changes by 100 were made since.
    expect(((await quantity()) - before - sent) % 100).toBe(0);
  });
});
