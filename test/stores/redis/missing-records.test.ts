import { describe, expect, test } from "vitest";
import { PetStatus } from "../../../gen/inventory/v1/inventory_pb.ts";
import { HoldState } from "../../../gen/store/v1/store_pb.ts";
import { accountKey, holdsKey, ordersKey } from "../../../src/stores/redis/keys.ts";
import type { Stores } from "../../../src/stores/stores.ts";
import { addAccount } from "../../support/accounts.ts";
import { placed } from "../../support/stock.ts";
import { readyStores, useRedis } from "../../support/stores.ts";

const redis = useRedis();
const accounts = ["a", "b", "c", "d", "e"].map((letter) => letter.repeat(12));
const [account = ""] = accounts;

/** A list in pages that has an index of its own, whose entries can outlive their records for a moment. */
interface List {
  readonly name: string;
  /** Adds an element. @returns its id */
  add(stores: Stores, number: number): Promise<string>;
  /** Deletes the record of an element, and leaves its entry in the index. */
  lose(id: string): Promise<unknown>;
  /** Reads the ids of all elements, in pages of two. */
  read(stores: Stores): Promise<string[]>;
}

/** Reads all pages, of which the next begins after the returned place. */
async function allPages<T>(
  page: (after: T | undefined) => Promise<{ readonly ids: readonly string[]; next: T | undefined }>,
): Promise<string[]> {
  const found: string[] = [];
  let after: T | undefined;
  do {
    const { ids, next } = await page(after);
    found.push(...ids);
    after = next;
  } while (after !== undefined && found.length < 100);
  return found;
}

const lists: readonly List[] = [
  {
    name: "orders of all accounts",
    add: async ({ orders }) => String((await placed(orders, account, 1n, 1)).orderId),
    lose: async (id) => {
      const own = await redis.client.zrange(ordersKey(account), "0", "-1");
      const lost = own.filter((order) => Number.parseInt(order, 10) === Number(id));
      expect(await redis.client.zrem(ordersKey(account), ...lost)).toBe(1);
    },
    read: ({ orders }) =>
      allPages<bigint>(async (before) => {
        const { orders: page, next } = await orders.list({ before, limit: 2 });
        return { ids: page.map(({ orderId }) => String(orderId)), next };
      }),
  },
  {
    name: "accounts",
    add: (stores, number) => addAccount(stores, undefined, accounts[number]),
    lose: (id) => redis.client.del(accountKey(id)),
    read: (stores) =>
      allPages<{ createdAt: number; accountId: string }>(async (after) => {
        const page = await stores.accounts.listAccounts(after, 2);
        return { ids: page.accounts.map(({ accountId }) => accountId), next: page.next };
      }),
  },
  {
    name: "holds",
    add: async ({ holds }, number) => {
      const items = [{ petId: 1n, quantity: 1 }];
      expect(await holds.put(account, `hold-${number}`, { items, ttlMs: 60_000 })).toMatchObject({
        kind: "held",
      });
      return `hold-${number}`;
    },
    lose: (id) => redis.client.hdel(holdsKey, `${account}/${id}`),
    read: ({ holds }) =>
      allPages<bigint>(async (before) => {
        const query = { accountId: undefined, petId: undefined, states: [HoldState.ACTIVE] };
        const { holds: page, next } = await holds.list({ ...query, before, limit: 2 });
        return { ids: page.map(({ holdId }) => holdId), next };
      }),
  },
];

describe.each(lists)("the list of $name", ({ add, lose, read }) => {
  test.each([[[]], [[0]], [[1]], [[0, 1]], [[1, 2]], [[2, 3, 4]], [[0, 1, 2, 3, 4]]])(
    "goes on after its last entry, also when the records of elements %j were deleted",
    async (lost) => {
      await redis.client.flushdb();
      const stores = await readyStores(redis.url);
      await stores.catalog.put([{ petId: 1n, quantity: 100, status: PetStatus.AVAILABLE }]);
      const ids: string[] = [];
      for (let number = 0; number < 5; number += 1) ids.push(await add(stores, number));
      for (const number of lost) await lose(ids[number] ?? "");
      const left = ids.filter((_, number) => !lost.includes(number));
      expect((await read(stores)).toSorted()).toEqual(left.toSorted());
    },
  );
});
