import { beforeEach, expect, test } from "vitest";
import { addAccount } from "../support/accounts.ts";
import { openRedisStores } from "../support/redis-stores.ts";
import { useCommands } from "./command-line.ts";

const { inventory, json, redis, succeed, withStores } = useCommands();
const alice = "aaaaaaaaaaaa";
const bob = "bbbbbbbbbbbb";

/** Alice holds units of two pets as cart-1, then bob some as cart-1, then alice as cart-2. */
beforeEach(async () => {
  await withStores(async (stores) => {
    for (const accountId of [alice, bob]) await addAccount(stores, { plan: "free" }, accountId);
    await stores.catalog.put([7n, 9n].map((petId) => ({ petId, quantity: 100, status: 1 })));
    const seven = { petId: 7n, quantity: 4 };
    await stores.holds.put(alice, "cart-1", {
      items: [seven, { petId: 9n, quantity: 1 }],
      ttlMs: 900_000,
    });
    await stores.holds.put(bob, "cart-1", { items: [seven], ttlMs: 900_000 });
    await stores.holds.put(alice, "cart-2", { items: [seven], ttlMs: 900_000 });
  });
});

test("holds list prints the active holds of all accounts, those that began last first", async () => {
  const [header, ...rows] = (await succeed("holds list")).trimEnd().split("\n");
  expect(header).toMatch(/^ID +ACCOUNT +STATE +EXPIRES +UNITS$/);
  expect(rows.map((row) => row.split(/ {2,}/).toSpliced(3, 1))).toEqual([
    ["cart-2", alice, "active", "4 of pet 7"],
    ["cart-1", bob, "active", "4 of pet 7"],
    ["cart-1", alice, "active", "4 of pet 7, 1 of pet 9"],
  ]);
  expect(rows[0]).toMatch(/ active {2}\d{4}-\d\d-\d\dT\S+Z {2}4/);
});

test("holds list and items holds select by account, pet, --state and --limit", async () => {
  await succeed("holds release", alice, "cart-2");
  const list = async (...args: string[]) =>
    (await json(...args)).map(
      ({ accountId, hold }: { accountId: string; hold: { holdId: string; state: string } }) =>
        `${accountId} ${hold.holdId} ${hold.state}`,
    );
  expect(await list("holds", "list", alice)).toEqual([`${alice} cart-1 active`]);
  expect(await list("items", "holds", "9")).toEqual([`${alice} cart-1 active`]);
  expect(await list("holds", "list", "--state", "released")).toEqual([`${alice} cart-2 released`]);
  expect(await list("holds", "list", "--limit", "1")).toEqual([`${bob} cart-1 active`]);
});

test("holds show prints one hold", async () => {
  expect(await succeed("holds show", alice, "cart-1")).toMatch(
    /^id {7}cart-1\naccount {2}a{12}\nstate {4}active\nexpires {2}\S+Z\nunits {4}4 of pet 7, 1 of pet 9\n$/,
  );
});

test("holds show prints all orders of a confirmed hold", async () => {
  await withStores((stores) => stores.holds.confirm(alice, "cart-1"));
  const { hold } = await json("holds show", alice, "cart-1");
  expect(hold.orderIds).toHaveLength(2);
  expect(await succeed("holds show", alice, "cart-1")).toContain(hold.orderIds.join(", "));
});

test("holds release puts the units back into stock", async () => {
  const quantity = async () => (await json("items show 7")).quantity;
  const before = await quantity();
  const hold = await json("holds release", bob, "cart-1");
  expect(hold).toMatchObject({ accountId: bob, hold: { holdId: "cart-1", state: "released" } });
  expect((await quantity()) - before).toBe(4);
  const change = JSON.parse(await succeed("items history 7 --limit 1 --output=json"))[0];
  expect(change).toMatchObject({ reason: "hold_ended", reference: "cart-1" });
});

test("items levels prints what is for sale, held and on the shelf", async () => {
  expect(await succeed("items levels")).toBe(
    "PET ID  NAME  SKU  QUANTITY  HELD  ON HAND\n" +
      "     7                   88    12      100\n" +
      "     9                   99     1      100\n",
  );
  expect(await succeed("items levels 9 404 --output=csv")).toBe(
    "petId,name,sku,quantity,held,onHand\n9,,,99,1,100\n",
  );
  const nine = { petId: 9, quantity: 99, held: 1, onHand: 100 };
  expect(await json("items levels 9")).toEqual([nine]);
  expect(await json("items levels --limit 1")).toMatchObject([{ petId: 7 }]);
});

test.each<[string[], number, string]>([
  [["holds", "show", bob, "cart-2"], 4, "Hold cart-2 does not exist"],
  [["holds", "release", bob, "cart-2"], 4, "Hold cart-2 does not exist"],
  [["holds", "show", bob, "a/b"], 2, "<hold-id>: "],
  [["holds", "release", "bob", "cart-1"], 2, "<account-id>: "],
  [["holds", "list", "--state", "lost"], 2, "active, confirmed, released, expired"],
  [["items", "levels", "x"], 2, "[pet-id...]: "],
  [["items", "levels", "7", "7"], 2, "[pet-id...]: must be unique"],
  [["items", "holds", "x"], 2, "<pet-id>: "],
  [["items", "holds", "0"], 2, "<pet-id>: "],
  [["holds", "list", "--limit", "0"], 2, "an integer from 1 to 999999"],
  [["holds", "list", "x"], 2, "[account-id]: "],
])("%j: exit code %i and a message", async (args, expected, message) => {
  const { code, stdout, stderr } = await inventory(...args);
  expect([code, stdout]).toEqual([expected, ""]);
  expect(stderr).toContain(message);
});

test("lists of holds and of changes go on beyond a page", async () => {
  const stores = openRedisStores(redis.url);
  await stores.ready(5_000);
  await stores.inventory.change({ petId: 7n, quantity: 1_000 });
  const more = Array.from({ length: 299 }, (_, at) => `more-${at}`);
  for (const id of more)
    await stores.holds.put(alice, id, { items: [{ petId: 7n, quantity: 1 }], ttlMs: 900_000 });
  await stores.close();
  const idsOf = async (...args: string[]) =>
    (await json(...args, "--limit", "299")).map(
      (each: { reference?: string; hold?: { holdId: string } }) =>
        each.reference ?? each.hold?.holdId,
    );
  const newestFirst = more.toReversed();
  expect(await idsOf("holds", "list")).toEqual(newestFirst);
  expect(await idsOf("items", "history", "7")).toEqual(newestFirst);
  expect(await idsOf("items", "history")).toEqual(newestFirst);
});
