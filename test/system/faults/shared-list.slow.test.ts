import { setTimeout as delay } from "node:timers/promises";
import { Code, ConnectError } from "@connectrpc/connect";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createRedisStores } from "../../../src/stores/redis/stores.ts";
import { openRedisStores } from "../../support/redis-stores.ts";
import { itemsFrom } from "../../support/stock.ts";
import { useRedis } from "../../support/stores.ts";
import { until } from "../harness/until.ts";
import { useRedisProxy } from "./redis-proxy.ts";

const redis = useRedis("--save", "");
const proxy = useRedisProxy();
const pets = 30_000;
const pageSize = 1_000;

beforeAll(async () => {
  proxy.target = redis.server.port;
  const direct = openRedisStores(redis.url);
  await direct.ready(5_000);
  for (let from = 0; from < pets; from += 1_000) {
    const items = itemsFrom(BigInt(from + 1), 1_000);
    await direct.catalog.put(items);
  }
  await direct.close();
}, 60_000);

const own: { stores?: ReturnType<typeof createRedisStores> } = {};
afterAll(() => own.stores?.close());

test("a shared read of the list fails in time for all callers if Redis stalls, and the next read succeeds", async () => {
  const stores = createRedisStores(proxy.url);
  own.stores = stores;
  await stores.ready(5_000);
  // Redis stalls after a third of the pages.
  proxy.repliesLeft = 10;
  const begun = performance.now();
  const lists = Array.from({ length: 10 }, async (_, at) => {
    await delay(at);
    return stores.inventory.list();
  });
  const outcomes = await Promise.allSettled(lists);
  expect(performance.now() - begun).toBeLessThan(3_000);
  for (const outcome of outcomes) {
    expect(outcome.status).toBe("rejected");
    if (outcome.status === "rejected") {
      expect(ConnectError.from(outcome.reason).code).toBe(Code.Unavailable);
    }
  }
  proxy.repliesLeft = Number.POSITIVE_INFINITY;
  proxy.drop();
  const list = () => stores.inventory.list().catch(() => undefined);
  await redis.client.config("RESETSTAT");
  expect((await until("the list is read again", list)).items).toHaveLength(pets);
  // The second read continues where the first stalled: at most a page and a half are read twice.
  const [, calls] =
    /cmdstat_zrangebylex:calls=(\d+)/.exec(await redis.client.info("commandstats")) ?? [];
  expect(Number(calls)).toBeLessThanOrEqual(pets / pageSize - 8);
});
