import { Code } from "@connectrpc/connect";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { PetStatus } from "../../../gen/inventory/v1/inventory_pb.ts";
import { singleServer } from "../../../src/stores/redis/connection/settings.ts";
import { createRedisStores } from "../../../src/stores/redis/stores.ts";
import type { Stores } from "../../../src/stores/stores.ts";
import { addAccount, addKey } from "../../support/accounts.ts";
import { openRedisStores } from "../../support/redis-stores.ts";
import { useRedis } from "../../support/stores.ts";
import { type RedisServer, startRedisServer } from "../harness/redis-server.ts";
import { until } from "../harness/until.ts";

const primary = useRedis("--repl-diskless-sync-delay", "0");
const own: { replica?: RedisServer; stores?: Stores } = {};

/** Replicas whose connection to the primary is up, and that have its data. */
async function replicas(): Promise<number> {
  return (await primary.client.info("replication")).match(/state=online/g)?.length ?? 0;
}

function succeeds(work: Promise<unknown>): Promise<boolean> {
  return work.then(
    () => true,
    () => false,
  );
}

function stores(): Stores {
  if (!own.stores) throw new Error("Use the stores only while a test runs.");
  return own.stores;
}

beforeAll(async () => {
  own.replica = await startRedisServer("--replicaof", "127.0.0.1", String(primary.server.port));
  await until("the replica has the data", async () => (await replicas()) === 1);
  own.stores = createRedisStores({ ...singleServer(primary.url), ackReplicas: 1 });
  await own.stores.ready(5_000);
  const pet = { petId: 1n, quantity: 1, status: PetStatus.AVAILABLE };
  await until("a change is acknowledged", () => succeeds(stores().inventory.put([pet])));
});
afterAll(async () => {
  await own.stores?.close();
  await own.replica?.stop();
});

test("a change is acknowledged when the replica has it", async () => {
  const { inventory } = stores();
  await expect(inventory.setQuantity(1n, 1)).resolves.toMatchObject({ kind: "changed" });
  await expect(inventory.adjust(1n, 1)).resolves.toMatchObject({ item: { quantity: 2 } });
});

test("no change fails while connections with new credentials replace the present ones", async () => {
  const settings = { ...singleServer(primary.url), ackReplicas: 1 };
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
        const change = patient.inventory.adjust(1n, 1);
        changes.push(change.finally(() => (pending -= 1)));
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
    await reconnected;
  }
  await expect(Promise.all(changes)).resolves.not.toHaveLength(0);
});

test("unavailable within half a second for changes that no replica has, while reads and admissions succeed", async () => {
  const { inventory, admission, accounts } = stores();
  const accountId = await addAccount(stores(), { plan: "free" });
  const { keyHash } = await addKey(stores(), accountId);
  own.replica?.pause();
  const before = performance.now();
  const changes = [
    inventory.setQuantity(1n, 3),
    inventory.adjust(1n, 1),
    accounts.setPlan(accountId, { plan: "pro" }),
  ];
  const reads = [inventory.list(), inventory.get(1n), admission.admitKey(accountId, keyHash)];
  await expect(Promise.all(reads)).resolves.toHaveLength(3);
  for (const result of await Promise.allSettled(changes)) {
    expect(result).toMatchObject({ status: "rejected", reason: { code: Code.Unavailable } });
  }
  expect(performance.now() - before).toBeLessThan(500);
  own.replica?.resume();
  // They were made all the same: a caller is told only that they may have been made.
  await until("the replica is back", async () => (await replicas()) === 1);
  expect(await inventory.adjust(1n, 1)).toMatchObject({ item: { quantity: 5 } });
});

test("changes that wait for a failed replica do not delay later ones: none is made after its time", async () => {
  const { inventory } = stores();
  own.replica?.pause();
  const before = performance.now();
  // In more event-loop ticks than the time has room for if each waited for the replica alone.
  const changes: Promise<unknown>[] = [];
  for (let tick = 0; tick < 20; tick += 1) {
    changes.push(inventory.adjust(1n, 1));
    await new Promise((resolve) => setImmediate(resolve));
  }
  const results = await Promise.allSettled(changes);
  expect(results.every(({ status }) => status === "rejected")).toBe(true);
  expect(performance.now() - before).toBeLessThan(600);
  const quantity = async () => (await inventory.get(1n))?.quantity;
  const atTheEnd = await quantity();
  own.replica?.resume();
  await until("the replica is back", async () => (await replicas()) === 1);
  await until("a change is acknowledged", () => succeeds(inventory.adjust(1n, 100)));
  // Nothing was queued in the server: only the last change was made since.
  expect((((await quantity()) ?? 0) - (atTheEnd ?? 0)) % 100).toBe(0);
});
