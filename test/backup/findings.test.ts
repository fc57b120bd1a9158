import { Code } from "@connectrpc/connect";
import { afterAll, beforeAll, expect, test } from "vitest";
import { PetStatus } from "../../gen/inventory/v1/inventory_pb.ts";
import { createListedCheck } from "../../src/backup/account-findings.ts";
import { allFindings, hiddenData } from "../../src/backup/findings.ts";
import { createAccountIndex } from "../../src/stores/redis/accounts/account-index.ts";
import type { Connection } from "../../src/stores/redis/connection/connection.ts";
import { accountKey } from "../../src/stores/redis/keys.ts";
import { storedKeys } from "../../src/stores/redis/stored-keys.ts";
import type { Stores } from "../../src/stores/stores.ts";
import { addAccount } from "../support/accounts.ts";
import { openRedisConnection, openRedisStores } from "../support/redis-stores.ts";
import { useRedis } from "../support/stores.ts";

const redis = useRedis("--appendonly", "no");
const alice = "aaaaaaaaaaaa";
const own: { stores?: Stores; connection?: Connection } = {};

beforeAll(async () => {
  own.stores = openRedisStores(redis.url);
  own.connection = openRedisConnection(redis.url);
  await own.stores.ready(5_000);
  await own.connection.ready(5_000);
});
afterAll(async () => {
  await own.connection?.close();
  await own.stores?.close();
});

function openOwn() {
  const { stores, connection } = own;
  if (!stores || !connection) throw new Error("Use the stores only while a test runs.");
  return { stores, connection };
}

test("an account that is deleted while its entry is checked is not reported", async () => {
  const { stores, connection } = openOwn();
  await addAccount(stores, { plan: "free" }, alice);
  const index = createAccountIndex(connection, stores.accounts, stores.orders, stores.holds);
  let isDeleted = false;
  /** Deletes the account after the first question. */
  const thenDeleted = async (question: Promise<string[]>) => {
    const answer = await question;
    if (isDeleted) return answer;
    isDeleted = true;
    await stores.accounts.remove(alice);
    await stores.accounts.unlist(alice);
    return answer;
  };
  const check = createListedCheck({
    connection,
    index: {
      ...index,
      unlisted: (accountIds) => thenDeleted(index.unlisted(accountIds)),
      deleted: (accountIds) => thenDeleted(index.deleted(accountIds)),
    },
    addUsage: async () => true,
    deleteOrders: async () => 0,
  });
  expect(await Array.fromAsync(check([accountKey(alice)]))).toEqual([]);
  expect(isDeleted).toBe(true);
});

test("if Redis fails while the names of keys are read, the error says that it is not available", async () => {
  const connection = openRedisConnection(redis.url);
  await connection.ready(5_000);
  const keys = storedKeys(connection);
  await redis.client.set("inv:format", 1);
  await connection.close();
  await expect(keys.next()).rejects.toMatchObject({ code: Code.Unavailable });
});

test.each([
  ["hiddenData", hiddenData],
  ["allFindings", allFindings],
])("%s sends no command after an abort, whichever command it has just sent", async (_, find) => {
  const { stores, connection } = openOwn();
  await redis.client.flushall();
  await addAccount(stores, { plan: "free" }, alice);
  for (let begin = 1; begin < 3_000; begin += 1_000) {
    const petIds = Array.from({ length: 1_000 }, (_, index) => BigInt(begin + index));
    await stores.inventory.put(
      petIds.map((petId) => ({ petId, quantity: 7, status: PetStatus.AVAILABLE })),
    );
  }
  await stores.orders.place(alice, 1n, 1);

  /** @param last the number of commands after which the signal is aborted */
  async function sentUntil(last: number): Promise<number> {
    const controller = new AbortController();
    let sent = 0;
    const counting =
      (perform: Connection["run"]): Connection["run"] =>
      (...commands) => {
        sent += 1;
        if (sent === last) controller.abort("SIGINT");
        return perform(...commands);
      };
    const counted = {
      ...connection,
      run: counting(connection.run),
      change: counting(connection.change),
    };
    const found = Array.fromAsync(find(counted, controller.signal));
    if (last === Number.POSITIVE_INFINITY) expect(await found).toEqual([]);
    else await expect(found).rejects.toBe("SIGINT");
    return sent;
  }

  const all = await sentUntil(Number.POSITIVE_INFINITY);
  expect(all).toBeGreaterThan(20);
  for (let last = 1; last < all; last += 1) expect(await sentUntil(last)).toBe(last);
});

test("an abort does not stop the repair of a deletion halfway", async () => {
  const { stores, connection } = openOwn();
  await redis.client.flushall();
  await addAccount(stores, { plan: "free" }, alice);
  await stores.inventory.put([{ petId: 1n, quantity: 7, status: PetStatus.AVAILABLE }]);
  await stores.holds.put(alice, "cart", [{ petId: 1n, quantity: 3 }], 60_000);
  const fields = await redis.client.hgetall(accountKey(alice));
  await stores.accounts.remove(alice);
  await stores.accounts.unlist(alice);
  // What a failover of this server has undone.
  await redis.client.hset(accountKey(alice), fields);

  const controller = new AbortController();
  const counted: Connection = {
    ...connection,
    async change(key, ...others) {
      const reply = await connection.change(key, ...others);
      if (key === accountKey(alice)) controller.abort("SIGINT");
      return reply;
    },
  };
  const repairing = async () => {
    for await (const { repair } of allFindings(counted, controller.signal)) await repair?.();
  };
  await expect(repairing()).rejects.toBe("SIGINT");
  expect(await redis.client.exists(accountKey(alice))).toBe(0);
  expect(await stores.holds.get(alice, "cart")).toBeUndefined();
  expect((await stores.inventory.get(1n))?.quantity).toBe(7);
});
