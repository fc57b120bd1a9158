import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { PetStatus } from "../../../gen/inventory/v1/inventory_pb.ts";
import { accountKey } from "../../../src/stores/redis/keys.ts";
import type { Stores } from "../../../src/stores/stores.ts";
import { addAccount, addKey, type TestKey } from "../../support/accounts.ts";
import { openRedisStores } from "../../support/redis-stores.ts";
import { useRedis } from "../../support/stores.ts";
import { until } from "../../system/harness/until.ts";

const redis = useRedis("--appendonly", "no");
const alice = "aaaaaaaaaaaa";
const own: { stores?: Stores; amended: (readonly [string, string])[] } = { amended: [] };

beforeAll(async () => {
  own.stores = openRedisStores(redis.url, {
    onAmended: (...amended) => own.amended.push(amended),
  });
  await own.stores.ready(5_000);
});
afterAll(() => own.stores?.close());
beforeEach(() => {
  own.amended = [];
});

function stores(): Stores {
  if (!own.stores) throw new Error("Use the stores only while a test runs.");
  return own.stores;
}

/** Uses a key, as a server does that has counted its requests. */
async function use({ keyId }: TestKey, accountId: string): Promise<void> {
  const minute = Math.floor(Date.now() / 60_000);
  const counts = [{ accountId, keyId, minute, admitted: 1, limited: 0, banned: 0 }];
  await stores().usage.add({ counts, bans: [] });
}

const listed = async () => {
  const { accounts } = await stores().accounts.listAccounts(undefined, 10);
  return accounts.map(({ accountId }) => accountId);
};

test("an account in use whose entry in the index was lost is listed again, where it was", async () => {
  await addAccount(stores(), { plan: "free" }, alice);
  const key = await addKey(stores(), alice);
  const score = await redis.client.zscore("inv:{accounts}", alice);
  await redis.client.zrem("inv:{accounts}", alice);
  expect(await listed()).toEqual([]);
  await use(key, alice);
  expect(await until("it is listed", async () => (await listed()).length > 0 && listed())).toEqual([
    alice,
  ]);
  expect(await redis.client.zscore("inv:{accounts}", alice)).toBe(score);
  expect(own.amended).toEqual([[alice, "listed"]]);
});

test("a deleted account that lives on is deleted again, with its orders and holds", async () => {
  const bob = "bbbbbbbbbbbb";
  await addAccount(stores(), { plan: "free" }, bob);
  const key = await addKey(stores(), bob);
  const item = { petId: 7n, quantity: 9, status: PetStatus.AVAILABLE };
  await stores().inventory.put([item]);
  await stores().orders.place(bob, 7n, 2);
  const fields = await redis.client.hgetall(accountKey(bob));
  await stores().accounts.remove(bob);
  await stores().orders.deleteAll(bob);
  await stores().accounts.unlist(bob);
  // What a failover of these servers has undone.
  await redis.client.hset(accountKey(bob), fields);
  await redis.client.zadd(`inv:{stock}:account-orders:${bob}`, 0, "0000000000000000001,7,2,1,5");
  await redis.client.del(`inv:{stock}:deleted-account:${bob}`);
  await stores().holds.put(bob, "cart", [{ petId: 7n, quantity: 3 }], 60_000);
  expect((await stores().admission.admitKey(bob, key.keyHash)).verdict).toBe("admitted");

  await use(key, bob);
  await until("it is deleted", async () => (await redis.client.exists(accountKey(bob))) === 0);
  await until("its orders are deleted", async () => (await stores().orders.count(bob)) === 0);
  await until("its units are back", async () => {
    return (await stores().inventory.get(7n))?.quantity === 7;
  });
  expect(await listed()).not.toContain(bob);
  expect((await stores().admission.admitKey(bob, key.keyHash)).verdict).toBe("unknown");
  await until("it is reported", () => own.amended.length > 0);
  expect(own.amended).toEqual([[bob, "deleted"]]);
});
