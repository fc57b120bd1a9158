import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { PetStatus } from "../../gen/inventory/v1/inventory_pb.ts";
import { readRedisConfig } from "../../src/config/config.ts";
import { accountKey } from "../../src/stores/redis/keys.ts";
import { runHere, succeedHere } from "../cli/command-line.ts";
import { addAccount, addKey } from "../support/accounts.ts";
import { useDirectory } from "../support/directory.ts";
import { openRedisStores } from "../support/redis-stores.ts";
import { type RedisCluster, startRedisCluster } from "../system/harness/redis-cluster.ts";

const directory = useDirectory();
const own: { cluster?: RedisCluster } = {};
const count = 200;
const idOf = (number: number) => `acc${String(number).padStart(9, "0")}`;

beforeAll(async () => {
  own.cluster = await startRedisCluster({ primaries: 3, replicas: 0 });
}, 60_000);
afterAll(() => own.cluster?.stop());

function cluster(): RedisCluster {
  if (!own.cluster) throw new Error("Use the cluster only while a test runs.");
  return own.cluster;
}

const succeeding = (...args: string[]) => succeedHere(args, { variables: cluster().environment });

test("a backup of a cluster is restored into a cluster, also after an interruption", async () => {
  const file = join(directory, "backup.gz");
  const settings = readRedisConfig(cluster().environment);
  if (!settings) throw new Error("the cluster has no settings");
  const stores = openRedisStores(settings);
  await stores.ready(10_000);
  const keys = new Map<string, string>();
  for (let number = 0; number < count; number += 1) {
    await addAccount(stores, { plan: "pro" }, idOf(number));
    keys.set(idOf(number), (await addKey(stores, idOf(number))).keyHash);
  }
  await stores.catalog.put([{ petId: 7n, quantity: 500, status: PetStatus.AVAILABLE }]);
  for (let number = 0; number < count; number += 1)
    await stores.orders.place(idOf(number), { petId: 7n, quantity: 1 });

  const saved = await succeeding("backup", file);
  expect(saved).toContain("1 item, 200 accounts with 200 keys, 200 orders and 201 changes");
  await cluster().flush();
  // What an interrupted restore has left, on several nodes.
  const { nodes } = cluster();
  const half = [...keys.keys()].map(accountKey);
  const owner = async (key: string) => cluster().ownerOf(await cluster().slotOf(key));
  await (await owner("inv:format")).client.set("inv:format", "restoring x");
  for (const key of half.slice(0, 20)) await (await owner(key)).client.hset(key, "name", "half");
  await succeeding("restore", file);

  for (const accountId of keys.keys()) {
    const { verdict } = await stores.admission.admitKey(accountId, keys.get(accountId) ?? "");
    expect([accountId, verdict]).toEqual([accountId, "admitted"]);
  }
  expect((await stores.inventory.get(7n))?.quantity).toBe(300);
  expect(await succeeding("verify")).toContain("200 accounts with 200 keys, 200 orders");
  expect(await succeeding("verify --repair")).toContain("repaired 0 disagreements");
  const sizes = await Promise.all(nodes.map(({ client }) => client.dbsize()));
  expect(Math.min(...sizes)).toBeGreaterThan(0);
  await stores.close();
}, 60_000);

test("an account that a failover dropped from the index is in a backup, is reported, and is repaired", async () => {
  await cluster().flush();
  const stores = await connected();
  await addAccount(stores, { plan: "pro" }, "aaaaaaaaaaaa");
  await addAccount(stores, { plan: "pro" }, "bbbbbbbbbbbb");
  await stores.catalog.put([{ petId: 7n, quantity: 500, status: PetStatus.AVAILABLE }]);
  await stores.orders.place("aaaaaaaaaaaa", { petId: 7n, quantity: 1 });
  const index = await ownerOf("inv:{accounts}");
  const created = await index.client.zscore("inv:{accounts}", "aaaaaaaaaaaa");
  await index.client.zrem("inv:{accounts}", "aaaaaaaaaaaa");
  // Its key works, and so do its orders.
  await addKey(stores, "aaaaaaaaaaaa");
  await stores.orders.place("aaaaaaaaaaaa", { petId: 7n, quantity: 2 });

  const verified = await running("verify");
  expect([verified.code, verified.stderr]).toEqual([
    1,
    expect.stringMatching(
      /^account aaaaaaaaaaaa is not in the index: run inventory verify --repair$/m,
    ),
  ]);
  const file = join(directory, "whole.gz");
  expect(await succeeding("backup", file)).toContain("2 accounts with 1 key, 2 orders");

  expect((await running("verify --repair")).stdout).toContain("repaired 1 disagreement");
  expect(await index.client.zscore("inv:{accounts}", "aaaaaaaaaaaa")).toBe(created);
  await succeeding("verify");
  expect((await running("verify --repair")).stdout).toContain("repaired 0 disagreements");
  await stores.close();
}, 60_000);

test("a deleted account that a failover brought back is reported, and deleted again", async () => {
  await cluster().flush();
  const stores = await connected();
  await addAccount(stores, { plan: "pro" }, "aaaaaaaaaaaa");
  const { keyHash } = await addKey(stores, "aaaaaaaaaaaa");
  const { client } = await ownerOf(accountKey("aaaaaaaaaaaa"));
  const fields = await client.hgetall(accountKey("aaaaaaaaaaaa"));
  await succeeding("accounts delete aaaaaaaaaaaa --yes");
  await client.hset(accountKey("aaaaaaaaaaaa"), fields);
  expect((await stores.admission.admitKey("aaaaaaaaaaaa", keyHash)).verdict).toBe("admitted");

  expect((await running("verify")).stderr).toContain(
    "account aaaaaaaaaaaa was deleted, but is there again: run inventory verify --repair\n",
  );
  expect((await running("verify --repair")).stdout).toContain("repaired 1 disagreement");
  expect((await stores.admission.admitKey("aaaaaaaaaaaa", keyHash)).verdict).toBe("unknown");
  await succeeding("verify");
  await stores.close();
}, 60_000);

const running = (...args: string[]) => runHere(args, { variables: cluster().environment });

async function ownerOf(key: string) {
  return cluster().ownerOf(await cluster().slotOf(key));
}

async function connected() {
  const settings = readRedisConfig(cluster().environment);
  if (!settings) throw new Error("the cluster has no settings");
  const stores = openRedisStores(settings);
  await stores.ready(10_000);
  return stores;
}
