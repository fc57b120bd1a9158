import { beforeEach, expect, test } from "vitest";
import { PetStatus } from "../../../gen/inventory/v1/inventory_pb.ts";
import { accountKey } from "../../../src/stores/redis/keys.ts";
import { addAccount, addKey, type TestKey } from "../../support/accounts.ts";
import { useReadyStores, useRedis } from "../../support/stores.ts";
import { until } from "../../system/harness/until.ts";

const redis = useRedis("--appendonly", "no");
const alice = "aaaaaaaaaaaa";
const amended: (readonly [string, string])[] = [];
const under = useReadyStores(redis, { onAmended: (...what) => amended.push(what) });
beforeEach(() => void amended.splice(0));

/** Uses a key, as a server does that has counted its requests. */
async function use({ keyId }: TestKey, accountId: string): Promise<void> {
  const minute = Math.floor(Date.now() / 60_000);
  const counts = [{ accountId, keyId, minute, admitted: 1, limited: 0, banned: 0 }];
  await under.stores.usage.add({ counts, bans: [] });
}

const listed = async () => {
  const { accounts } = await under.stores.accounts.listAccounts(undefined, 10);
  return accounts.map(({ accountId }) => accountId);
};

test("an account in use whose entry in the index was lost is listed again, where it was", async () => {
  await addAccount(under.stores, { plan: "free" }, alice);
  const key = await addKey(under.stores, alice);
  const score = await redis.client.zscore("inv:{accounts}", alice);
  await redis.client.zrem("inv:{accounts}", alice);
  expect(await listed()).toEqual([]);
  await use(key, alice);
  expect(await until("it is listed", async () => (await listed()).length > 0 && listed())).toEqual([
    alice,
  ]);
  expect(await redis.client.zscore("inv:{accounts}", alice)).toBe(score);
  expect(amended).toEqual([[alice, "listed"]]);
});

test("a deleted account that lives on is deleted again, with its orders and holds", async () => {
  const bob = "bbbbbbbbbbbb";
  await addAccount(under.stores, { plan: "free" }, bob);
  const key = await addKey(under.stores, bob);
  const item = { petId: 7n, quantity: 9, status: PetStatus.AVAILABLE };
  await under.stores.catalog.put([item]);
  await under.stores.orders.place(bob, { petId: 7n, quantity: 2 });
  const fields = await redis.client.hgetall(accountKey(bob));
  await under.stores.accounts.remove(bob);
  await under.stores.orders.deleteAll(bob);
  await under.stores.accounts.unlist(bob);
  // What a failover of these servers has undone.
  await redis.client.hset(accountKey(bob), fields);
  await redis.client.zadd(`inv:{stock}:account-orders:${bob}`, 0, "0000000000000000001,7,2,1,5");
  await redis.client.del(`inv:{stock}:deleted-account:${bob}`);
  await under.stores.holds.put(bob, "cart", { items: [{ petId: 7n, quantity: 3 }], ttlMs: 60_000 });
  expect((await under.stores.admission.admitKey(bob, key.keyHash)).verdict).toBe("admitted");

  await use(key, bob);
  await until("it is deleted", async () => (await redis.client.exists(accountKey(bob))) === 0);
  await until("its orders are deleted", async () => (await under.stores.orders.count(bob)) === 0);
  await until("its units are back", async () => {
    return (await under.stores.inventory.get(7n))?.quantity === 7;
  });
  expect(await listed()).not.toContain(bob);
  expect((await under.stores.admission.admitKey(bob, key.keyHash)).verdict).toBe("unknown");
  await until("it is reported", () => amended.length > 0);
  expect(amended).toEqual([[bob, "deleted"]]);
});
