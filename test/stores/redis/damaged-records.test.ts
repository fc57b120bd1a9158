import { beforeEach, expect, test } from "vitest";
import { dayMs } from "../../../src/common/durations.ts";
import type { HoldQuery } from "../../../src/stores/hold-store.ts";
import {
  accountKey,
  catalogChangesKey,
  holdsKey,
  itemsKey,
  orderIndexKey,
  ordersKey,
  petNamesKey,
  stockChangesKey,
} from "../../../src/stores/redis/keys.ts";
import type { Stores } from "../../../src/stores/stores.ts";
import { addAccount, addKey, type TestKey } from "../../support/accounts.ts";
import { placed } from "../../support/stock.ts";
import { useReadyStores, useRedis } from "../../support/stores.ts";

const redis = useRedis("--appendonly", "no");
const under = useReadyStores(redis);
const own: { key: TestKey } = {} as never;
const account = "aaaaaaaaaaaa";
const ofAccount = accountKey(account);

beforeEach(async () => {
  await redis.client.flushall();
  const { catalog, orders, holds } = under.stores;
  await addAccount(under.stores, { plan: "free" }, account);
  own.key = await addKey(under.stores, account);
  await catalog.put([
    { petId: 1n, quantity: 9, status: 1 },
    { petId: 2n, quantity: 9, status: 1 },
  ]);
  await placed(orders, account, 1n, 1);
  await holds.put(account, "cart", { items: [{ petId: 1n, quantity: 1 }], ttlMs: dayMs });
});

const put = (key: string, field: string, value: string) => redis.client.hset(key, field, value);

/** Replaces the only member of a sorted set. */
async function replace(key: string, change: (member: string) => string): Promise<void> {
  const [member = ""] = await redis.client.zpopmin(key);
  await redis.client.zadd(key, 0, change(member));
}

const newest = { petId: undefined, from: undefined, limit: 10 };

type DamagedRecord = [
  what: string,
  name: string,
  damage: () => Promise<unknown>,
  read: (stores: Stores) => Promise<unknown>,
];

const cart = [account, "cart"] as const;
const ofCart: HoldQuery = { states: [1, 2, 3, 4], limit: 10 };
const readsOfHold: readonly [string, (stores: Stores) => Promise<unknown>][] = [
  ["is read", ({ holds }) => holds.get(...cart)],
  ["is listed", ({ holds }) => holds.list({ ...ofCart, accountId: account })],
  [
    "is listed among those of a pet",
    ({ holds }) => holds.list({ ...ofCart, states: [1], petId: 1n }),
  ],
  ["is listed among those of a state", ({ holds }) => holds.list({ ...ofCart, states: [1, 4] })],
  ["is confirmed", ({ holds }) => holds.confirm(...cart)],
  ["is released", ({ holds }) => holds.release(...cart)],
];

const itemName = `1 in ${itemsKey}`;
const drop = (field: string) => redis.client.hdel(ofAccount, field);
const getAccount = ({ accounts }: Stores) => accounts.getAccount(account);
const listKeys = ({ accounts }: Stores) => accounts.listKeys(account);

test.each<DamagedRecord>([
  ["an item", itemName, () => put(itemsKey, "1", "9,1,"), (s) => s.inventory.get(1n)],
  [
    "an item on a page",
    `1 in ${itemsKey}`,
    () => put(itemsKey, "1", "nine,1,5"),
    (s) => s.inventory.page(undefined, 10),
  ],
  [
    "the item of a pet in the index",
    itemName,
    () => redis.client.hdel(itemsKey, "1"),
    (s) => s.inventory.page(undefined, 10),
  ],
  ...(["list", "page", "find"] as const).flatMap((read): DamagedRecord[] => {
    const entries = ({ catalog }: Stores) =>
      ({
        list: () => catalog.list(),
        page: () => catalog.page(undefined, 10),
        find: () => catalog.find({ petIds: [1n] }),
      })[read]();
    const renewed = async (change: () => Promise<unknown>) => {
      await change();
      await redis.client.del(catalogChangesKey);
    };
    const nameless = () => renewed(() => put(petNamesKey, "1", "Rex"));
    const damagedItem = () => renewed(() => put(itemsKey, "1", "nine,1,5"));
    return [
      [`names of a pet (${read})`, `1 in ${petNamesKey}`, nameless, entries],
      [`an item in the catalogue (${read})`, itemName, damagedItem, entries],
    ];
  }),
  [
    "an order",
    ordersKey(account),
    () => replace(ordersKey(account), (order) => order.replace(/,\d+$/, ",")),
    (s) => s.orders.list({ accountId: account, limit: 10 }),
  ],
  [
    "an entry of the index of orders",
    orderIndexKey,
    () => replace(orderIndexKey, (entry) => entry.replace(/,.*/, "")),
    (s) => s.orders.list({ limit: 10 }),
  ],
  [
    "an order with an unknown status",
    ordersKey(account),
    () => replace(ordersKey(account), (order) => order.replace(/,1,(\d+)$/, ",9,$1")),
    (s) => s.orders.list({ accountId: account, limit: 10 }),
  ],
  ...["1,5,6,,,", "9,5,6,0,0,0 1:1", "one,5,6,0,0,0 1:1", "x"].flatMap((record) =>
    readsOfHold.map(
      ([what, read]): DamagedRecord => [
        `a hold ${record} that ${what}`,
        `${account}/cart in ${holdsKey}`,
        () => put(holdsKey, `${account}/cart`, record),
        read,
      ],
    ),
  ),
  ["an account", ofAccount, () => drop("created"), getAccount],
  ["an account without its name", ofAccount, () => drop("name"), getAccount],
  ["an API key without its record", ofAccount, () => drop(own.key.keyHash), listKeys],
  [
    "an API key with numbers that are none",
    ofAccount,
    () => put(ofAccount, own.key.keyHash, `${own.key.keyId} 1 x 0 0 0 0`),
    (s) => s.accounts.listKeys(account),
  ],
  [
    "the name of an API key",
    `i:`,
    () => put(ofAccount, `i:${own.key.keyId}`, `${own.key.keyHash} now till`),
    (s) => s.accounts.listKeys(account),
  ],
  [
    "a change without its time",
    stockChangesKey,
    () => rewriteHistory((fields) => fields.with(0, "tame")),
    (s) => s.inventory.changes(newest),
  ],
  [
    "a change whose quantity is no number",
    stockChangesKey,
    () =>
      rewriteHistory((fields) =>
        fields.with(5, fields[5]?.replace(/^;(\d+) 1 /, ";$1 one ") ?? ""),
      ),
    (s) => s.inventory.changes(newest),
  ],
])(
  "%s that is damaged is an error that names it, and is never read as empty",
  async (_, name, damage, read) => {
    await read(under.stores);
    await damage();
    await expect(read(under.stores)).rejects.toThrow(
      expect.objectContaining({
        name: "Error",
        message: expect.stringMatching(
          new RegExp(`${RegExp.escape(name)}.* is damaged: run inventory verify`),
        ),
      }),
    );
  },
);

test("damaged names are replaced by a change, and removed with their pet", async () => {
  const { catalog } = under.stores;
  await put(petNamesKey, "1", "Rex");
  await put(petNamesKey, "2", "Rex");
  expect(await catalog.update(1n, { name: "Mia" })).toMatchObject({ name: "Mia", sku: "" });
  await under.stores.holds.release(...cart);
  expect(await catalog.remove(2n)).toMatchObject({ petId: 2n, name: "" });
  expect((await catalog.page(undefined, 10)).entries).toMatchObject([{ petId: 1n, name: "Mia" }]);
});

test("a damaged item does not fail the reads of other items at the same time", async () => {
  await put(itemsKey, "1", "?");
  const reads = [1n, 2n].map((petId) => under.stores.inventory.get(petId));
  const [damaged, sound] = await Promise.allSettled(reads);
  expect(damaged?.status).toBe("rejected");
  expect(sound).toMatchObject({ value: { petId: 2n, quantity: 9 } });
});

/** Writes the history again, with changed fields of its oldest entry. */
async function rewriteHistory(change: (fields: string[]) => string[]): Promise<void> {
  const [first, ...others] = await redis.client.xrange(stockChangesKey, "-", "+");
  await redis.client.del(stockChangesKey);
  if (first) await redis.client.xadd(stockChangesKey, first[0], ...change(first[1]));
  for (const [id, fields] of others) await redis.client.xadd(stockChangesKey, id, ...fields);
}
