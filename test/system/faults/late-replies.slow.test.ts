import { Code } from "@connectrpc/connect";
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { PetStatus } from "../../../gen/inventory/v1/inventory_pb.ts";
import { createRedisStores } from "../../../src/stores/redis/stores.ts";
import type { Stores } from "../../../src/stores/stores.ts";
import { useRedis } from "../../support/stores.ts";
import { until } from "../harness/until.ts";
import { useRedisProxy } from "./redis-proxy.ts";

const redis = useRedis("--appendonly", "no");
const proxy = useRedisProxy();
const own: { stores?: Stores } = {};

function stores(): Stores {
  if (!own.stores) throw new Error("Use the stores only while a test runs.");
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

test("Redis reports an unknown script after the deadline: the change is not sent again", async () => {
  const sent: string[] = [];
  proxy.onRequest = (data) => sent.push(data.toString());
  proxy.delayMs = 400;
  await expect(stores().inventory.create(item)).rejects.toMatchObject({ code: Code.Unavailable });
  proxy.delayMs = 0;
  // Replies arrive in order, so that the late one was read before this one.
  await until("Redis responds again", () =>
    stores()
      .inventory.get(1n)
      .then(
        () => true,
        () => false,
      ),
  );
  // A command sent because of the late reply would have arrived by now.
  expect(await stores().inventory.get(1n)).toBeUndefined();
  expect(sent.filter((command) => /evalsha/i.test(command))).toHaveLength(1);
  expect(sent.filter((command) => /\beval\b/i.test(command))).toEqual([]);
  expect(await redis.client.hlen("inv:{stock}:items")).toBe(0);
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
  await expect(late.inventory.create(item)).rejects.toMatchObject({ code: Code.Unavailable });
  proxy.delayMs = 0;
  await until("Redis responds again", () =>
    late.ready(1_000).then(
      () => true,
      () => false,
    ),
  );
  // Any command of the change would have arrived before. The check of permissions names its keys, too.
  const changes = sent.filter((command) => command.includes("inv:{stock}:items"));
  expect(changes.filter((command) => !command.includes("acl_check_cmd"))).toEqual([]);
});
