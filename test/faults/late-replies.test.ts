import { Code } from "@connectrpc/connect";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { PetStatus } from "../../gen/inventory/v1/inventory_pb.ts";
import { connected, connectRedis } from "../../src/redis/connection.ts";
import { createRedisStores } from "../../src/redis/stores.ts";
import type { Stores } from "../../src/stores.ts";
import { freePort } from "../support/redis-server.ts";
import { useRedis } from "../support/stores.ts";
import { useRedisProxy } from "./redis-proxy.ts";
import { until } from "./until.ts";

const redis = useRedis("--appendonly", "no");
const proxy = useRedisProxy();
const own: { stores?: Stores } = {};

function stores(): Stores {
  if (!own.stores) throw new Error("the stores exist only while tests run");
  return own.stores;
}

beforeAll(async () => {
  proxy.target = redis.server.port;
  own.stores = createRedisStores(proxy.url);
  await own.stores.ready(5_000);
});
afterAll(() => own.stores?.close());

beforeEach(async () => {
  await redis.client.flushall();
  await redis.client.script("FLUSH");
  proxy.delayMs = 0;
});

const item = { petId: 1n, quantity: 1, status: PetStatus.SOLD };

test("Redis says within the deadline that it does not know a script: the change is made", async () => {
  expect(await stores().inventory.create(item)).toBeTypeOf("bigint");
});

test("Redis says after the deadline that it does not know a script: the change is not sent", async () => {
  const sent: string[] = [];
  proxy.onRequest = (data) => sent.push(data.toString());
  proxy.delayMs = 400;
  await expect(stores().inventory.create(item)).rejects.toMatchObject({ code: Code.Unavailable });
  proxy.delayMs = 0;
  // Replies arrive in order: after this one, the late one was read.
  await until("Redis responds again", () =>
    stores()
      .inventory.get(1n)
      .then(
        () => true,
        () => false,
      ),
  );
  // What was sent because of the late reply has arrived before this.
  expect(await stores().inventory.get(1n)).toBeUndefined();
  expect(sent.filter((command) => /evalsha/i.test(command))).toHaveLength(1);
  expect(sent.filter((command) => /\beval\b/i.test(command))).toEqual([]);
  expect(await redis.client.hlen("inv:{stock}:items")).toBe(0);
});

test("waiting for a connection again and again leaves no listeners behind", async () => {
  const connection = connectRedis(`redis://127.0.0.1:${await freePort()}`, () => {});
  const listeners = () => connection.redis.listenerCount("ready");
  const before = listeners();
  for (let wait = 0; wait < 20; wait += 1) {
    await expect(connected(connection, 1)).rejects.toMatchObject({ code: Code.Unavailable });
  }
  expect(listeners()).toBe(before);
  connection.redis.disconnect();
});
