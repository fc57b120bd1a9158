import { beforeEach, expect, test } from "vitest";
import { dayMs } from "../../src/common/durations.ts";
import { addAccount, addKey } from "../support/accounts.ts";
import { openRedisStores } from "../support/redis-stores.ts";
import { useRedis } from "../support/stores.ts";
import { useServers } from "../system/harness/server-process.ts";

const redis = useRedis("--appendonly", "no");
const servers = useServers();
const account = "aaaaaaaaaaaa";

beforeEach(() => redis.client.flushdb());

/** Puts pet 1 into the stock at a time, and returns the headers of a request with a key. */
async function fillStock(madeAt: number): Promise<Record<string, string>> {
  const stores = openRedisStores(redis.url, { now: () => madeAt });
  await stores.ready(5_000);
  await stores.catalog.put([{ petId: 1n, quantity: 9, status: 1 }]);
  await addAccount(stores, { plan: "pro" }, account);
  const { secret } = await addKey(stores, account);
  await stores.close();
  return { authorization: `Bearer ${secret}`, "content-type": "application/json" };
}

test("MAX_OPEN_ORDERS is how many open orders an account can have", async () => {
  const headers = await fillStock(Date.now());
  const { url } = await servers.start({ REDIS_URL: redis.url, MAX_OPEN_ORDERS: "2" });
  const statuses: number[] = [];
  for (let order = 1; order <= 3; order += 1) {
    const body = '{"petId":1,"quantity":1}';
    const reply = await fetch(`${url}/v1/store/orders`, { method: "POST", headers, body });
    statuses.push(reply.status);
  }
  expect(statuses).toEqual([200, 200, 429]);
});

test.each([
  { days: 1, kept: [8] },
  { days: 3, kept: [8, 9] },
])("HISTORY_DAYS=$days keeps the changes of that time", async ({ days, kept }) => {
  const headers = await fillStock(Date.now() - 2 * dayMs);
  const { url } = await servers.start({ REDIS_URL: redis.url, HISTORY_DAYS: String(days) });
  const adjust = { method: "POST", headers, body: '{"delta":-1}' };
  expect((await fetch(`${url}/v1/inventory/1:adjust`, adjust)).status).toBe(200);
  const reply = await fetch(`${url}/v1/inventory/1/changes`, { headers });
  const { changes } = (await reply.json()) as { changes: { quantityAfter: number }[] };
  expect(changes.map(({ quantityAfter }) => quantityAfter)).toEqual(kept);
});
