import { Code } from "@connectrpc/connect";
import { afterAll, beforeAll, expect, test } from "vitest";
import { PetStatus } from "../../gen/inventory/v1/inventory_pb.ts";
import type { Found } from "../../src/backup/finding.ts";
import { readSnapshot } from "../../src/backup/snapshot.ts";
import { verifyData } from "../../src/backup/verify-data.ts";
import { present } from "../../src/common/present.ts";
import type { Connection } from "../../src/stores/redis/connection/connection.ts";
import {
  accountIndexKey,
  accountKey,
  catalogChangesKey,
  deletedAccountsKey,
  petNamesKey,
  skusKey,
} from "../../src/stores/redis/keys.ts";
import { storedKeys } from "../../src/stores/redis/stored-keys.ts";
import { addAccount } from "../support/accounts.ts";
import { openRedisConnection } from "../support/redis-stores.ts";
import { itemsFrom } from "../support/stock.ts";
import { useReadyStores, useRedis } from "../support/stores.ts";

const redis = useRedis("--appendonly", "no");
const alice = "aaaaaaaaaaaa";
const under = useReadyStores(redis);
const own: { connection?: Connection } = {};

beforeAll(async () => {
  own.connection = openRedisConnection(redis.url);
  await own.connection.ready(5_000);
});
afterAll(() => own.connection?.close());

function openOwn() {
  return { stores: under.stores, connection: present(own.connection, "the connection") };
}

/** Checks all data. @returns what is found */
async function verified(
  connection: Connection,
  { signal } = new AbortController(),
  repairs = false,
): Promise<string[]> {
  const problems: string[] = [];
  const found: Found = async (problem, repair) => {
    problems.push(problem);
    if (repairs) await repair?.();
  };
  await verifyData(connection, signal, found, (reader, options) =>
    readSnapshot(reader, { ...options, signal, advance: () => {} }),
  );
  return problems;
}

test.each([deletedAccountsKey, accountIndexKey])(
  "an account that is deleted after a read of %s is not reported",
  async (readLast) => {
    const { stores, connection } = openOwn();
    await redis.client.flushall();
    await addAccount(stores, { plan: "free" }, alice);
    let isDeleted = false;
    const deleting: Connection = {
      ...connection,
      async run(key, ...others) {
        const reply = await connection.run(key, ...others);
        if (key === readLast && Array.isArray(reply) && !isDeleted) {
          isDeleted = true;
          await stores.accounts.remove(alice);
          await stores.accounts.unlist(alice);
        }
        return reply;
      },
    };
    expect(await verified(deleting)).toEqual([]);
    expect(isDeleted).toBe(true);
  },
);

test("if Redis fails while the names of keys are read, the error says that it is not available", async () => {
  const connection = openRedisConnection(redis.url);
  await connection.ready(5_000);
  const keys = storedKeys(connection);
  await redis.client.set("inv:format", 1);
  await connection.close();
  await expect(keys.next()).rejects.toMatchObject({ code: Code.Unavailable });
});

test("sends no command after an abort, whichever command it has just sent", async () => {
  const { stores, connection } = openOwn();
  await redis.client.flushall();
  await addAccount(stores, { plan: "free" }, alice);
  // Two pages of items, and five of the history.
  await stores.catalog.put(itemsFrom(1n, 1_000, 7));
  await stores.orders.place(alice, { petId: 1n, quantity: 1 });

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
    const found = verified(counted, controller);
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
  await stores.catalog.put([{ petId: 1n, quantity: 7, status: PetStatus.AVAILABLE }]);
  await stores.holds.put(alice, "cart", { items: [{ petId: 1n, quantity: 3 }], ttlMs: 60_000 });
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
  await expect(verified(counted, controller, true)).rejects.toBe("SIGINT");
  expect(await redis.client.exists(accountKey(alice))).toBe(0);
  expect(await stores.holds.get(alice, "cart")).toBeUndefined();
  expect((await stores.inventory.get(1n))?.quantity).toBe(7);
});

test("names that cannot be read are reported, until a change replaces them", async () => {
  const { stores, connection } = openOwn();
  await redis.client.flushall();
  await stores.catalog.put(itemsFrom(1n, 1, 5));
  await redis.client.hset("inv:{stock}:names", "1", "Rex");
  expect(await verified(connection)).toEqual(["the names of pet 1 cannot be read"]);
  await stores.catalog.update(1n, { name: "Rex" });
  expect(await verified(connection)).toEqual([]);
});

test("each disagreement of names, SKUs, pets and their changes is reported, and mended", async () => {
  const { stores, connection } = openOwn();
  const { client } = redis;
  const corruptions: [found: RegExp, damage: () => Promise<unknown>][] = [
    [/pet 9 has names, but/, () => client.hset(petNamesKey, "9", "\tRex")],
    [/pet 1 has names, but/, () => client.hdel(skusKey, "S1")],
    [/pet 1 has names, but/, () => client.hset(skusKey, "S1", "2")],
    [/the SKU none belongs/, () => client.hset(skusKey, "none", "1")],
    [/the SKU S1 belongs/, () => client.hset(petNamesKey, "1", "\tRex")],
    [/change 2\d+ of the catalogue/, () => add("20", "before", "1", "pets", " 1 ")],
    [/change 2\d+ of the catalogue/, () => add("20", "before", newest, "pets", "one")],
  ];
  let newest = "";
  const add = (version: string, ...fields: string[]) =>
    client.xadd(catalogChangesKey, `${version.padEnd(16, "0")}-0`, ...fields);
  for (const [found, damage] of corruptions) {
    await client.flushall();
    for (const petId of [1n, 2n]) {
      await stores.catalog.create({ petId, quantity: 1, status: 1, sku: `S${petId}` });
    }
    // More than one command reads.
    for (let at = 0; at < 150; at += 1) await stores.catalog.update(2n, { name: `${at}` });
    newest = String((await stores.catalog.list()).version);
    expect(await verified(connection)).toEqual([]);
    await damage();
    const problems = await verified(connection, undefined, true);
    expect(problems).toContainEqual(expect.stringMatching(found));
    expect(await verified(connection)).toEqual([]);
  }
});
