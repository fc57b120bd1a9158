import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { PetStatus } from "../../../gen/inventory/v1/inventory_pb.ts";
import { readRedisConfig } from "../../../src/config/config.ts";
import type { Connection } from "../../../src/stores/redis/connection/connection.ts";
import type { RedisSettings } from "../../../src/stores/redis/connection/settings.ts";
import { itemsKey } from "../../../src/stores/redis/keys.ts";
import { openRedisConnection, openRedisStores } from "../../support/redis-stores.ts";
import { freePort, type RedisServer, startRedisAt } from "../harness/redis-server.ts";
import { setUpMs } from "./bounds.ts";
import { useCluster } from "./redis-groups.ts";
import { useRedisProxy } from "./redis-proxy.ts";

/** The nodes announce an IPv6 address that begins with the separator of hosts and ports. */
const announce = ["--bind", "127.0.0.1", "::1", "--cluster-announce-ip", "::1"];
const nodeOptions = [...announce, "--cluster-require-full-coverage", "no"];
const group = useCluster({ primaries: 3, replicas: 0, nodeOptions });
const proxy = useRedisProxy();
const own: { removed?: RedisServer } = {};

beforeAll(async () => {
  const busPort = String(await freePort());
  const options = ["--cluster-enabled", "yes", "--cluster-port", busPort];
  own.removed = await startRedisAt(await freePort(), () => options);
}, setUpMs);
afterAll(() => own.removed?.stop());

function settingsOf(urls: readonly string[]): RedisSettings {
  const settings = readRedisConfig({ REDIS_MODE: "cluster", REDIS_URL: urls.join() });
  if (!settings) throw new Error("no settings");
  return settings;
}

function connect(urls: readonly string[]): Connection {
  const connection = openRedisConnection(settingsOf(urls));
  onTestFinished(() => connection.disconnect());
  return connection;
}

test("a slot that has moved is found at an IPv6 address", async () => {
  const { cluster } = group;
  const connection = connect(cluster.urls);
  await connection.ready(5_000);
  const set = () => connection.change("a", (redis) => redis.set("a", "1"));
  await set();
  const slot = await cluster.slotOf("a");
  const owner = await cluster.ownerOf(slot);
  const other = cluster.nodes.find((node) => node !== owner);
  if (!other) throw new Error("the cluster has one node");
  await cluster.moveSlot(slot, other);
  expect(await set()).toBe("OK");
});

test("a seed that was removed from the cluster, and replies first, does no harm", async () => {
  const { cluster } = group;
  proxy.target = cluster.nodes[0]?.server.port ?? 0;
  proxy.delayMs = 20;
  const connection = connect([own.removed?.url ?? "", proxy.url]);
  await connection.ready(5_000);
  expect(await connection.run("a", (redis) => redis.exists("a"))).toBe(1);
});

test("changes are read while a primary that does not have the stock is down", async () => {
  const { cluster } = group;
  const stores = openRedisStores(settingsOf(cluster.urls));
  onTestFinished(() => stores.close());
  await stores.ready(5_000);
  const reader = stores.readChanges();
  onTestFinished(() => reader.close());
  await stores.catalog.create({ petId: 1n, quantity: 1, status: PetStatus.AVAILABLE });
  const first = await reader.next(0n);
  expect(first).toHaveLength(1);
  const owner = await cluster.ownerOf(await cluster.slotOf(itemsKey));
  await cluster.nodes.find((node) => node !== owner)?.kill();
  const second = reader.next(first?.at(-1)?.version ?? 0n);
  await stores.inventory.change({ petId: 1n, delta: 1 });
  expect(await second).toMatchObject([{ quantityAfter: 2 }]);
  expect(await reader.next(0n)).toHaveLength(2);
});
