import { beforeEach, expect, test } from "vitest";
import { addAccount } from "../support/accounts.ts";
import { placed } from "../support/stock.ts";
import { useCommands } from "./command-line.ts";

const { inventory, json, succeed, withStores } = useCommands();
const alice = "aaaaaaaaaaaa";
const bob = "bbbbbbbbbbbb";

/** The ids of the orders, oldest first. */
const ids: string[] = [];

beforeEach(async () => {
  await withStores(async (stores) => {
    for (const accountId of [alice, bob]) await addAccount(stores, { plan: "free" }, accountId);
    await stores.catalog.put([{ petId: 7n, quantity: 100, status: 1 }]);
    ids.length = 0;
    for (const accountId of [alice, bob, alice]) {
      ids.push(String((await placed(stores.orders, accountId, 7n, 4)).orderId));
    }
  });
});

test("orders list prints the orders of all accounts, newest first", async () => {
  const [header, ...rows] = (await succeed("orders list")).trimEnd().split("\n");
  expect(header).toMatch(/^ID +ACCOUNT +PET ID +QUANTITY +STATUS +PLACED$/);
  expect(rows.map((row) => row.split(/\s+/).slice(0, 5))).toEqual([
    [ids[2], alice, "7", "4", "placed"],
    [ids[1], bob, "7", "4", "placed"],
    [ids[0], alice, "7", "4", "placed"],
  ]);
});

test("orders list selects by account, --status and --limit", async () => {
  await succeed("orders cancel", alice, ids[0] ?? "");
  const list = async (...args: string[]) =>
    JSON.parse(await succeed("orders list --output=json", ...args)).map(
      ({ accountId, order }: { accountId: string; order: { orderId: number; status: string } }) =>
        `${accountId} ${order.orderId} ${order.status}`,
    );
  expect(await list(alice)).toEqual([`${alice} ${ids[2]} placed`, `${alice} ${ids[0]} cancelled`]);
  expect(await list("--status", "placed")).toEqual([
    `${alice} ${ids[2]} placed`,
    `${bob} ${ids[1]} placed`,
  ]);
  expect(await list("--status", "placed", "--limit", "1")).toEqual([`${alice} ${ids[2]} placed`]);
  await withStores(({ orders }) => placed(orders, bob, 7n, 1, {}, "cart 7"));
  expect(await list("--reference", "cart 7")).toEqual([
    expect.stringMatching(/^b{12} \d+ placed$/),
  ]);
  expect(await succeed("orders list", bob)).toMatch(/ STATUS +REFERENCE\n.* placed +cart 7\n/);
});

test("orders advance prints the order with its new status", async () => {
  const stdout = await succeed("orders advance", bob, ids[1] ?? "", "approved");
  const [first, ...rest] = stdout.split("\n");
  expect(first).toBe(`id        ${ids[1]}`);
  expect(rest.join("\n")).toMatch(
    /^account {3}bbbbbbbbbbbb\npet id {4}7\nquantity {2}4\nstatus {4}approved\nplaced {4}\S+Z\n$/,
  );
});

test("orders cancel puts the quantity back into stock", async () => {
  const before = (await json("items show 7")).quantity;
  const order = await json("orders cancel", bob, ids[1] ?? "");
  expect(order).toMatchObject({
    accountId: bob,
    order: { orderId: Number(ids[1]), status: "cancelled" },
  });
  const after = (await json("items show 7")).quantity;
  expect(after - before).toBe(4);
});

test.each<[string[], number, string]>([
  [["orders", "cancel", bob, "1"], 4, "Order 1 does not exist"],
  [["orders", "cancel", bob, "x"], 2, "<order-id>: "],
  [["orders", "cancel", "bob", "2"], 2, "<account-id>: "],
  [["orders", "advance", bob, "2", "cancelled"], 2, "approved, delivered"],
  [["orders", "list", "--status", "lost"], 2, "placed, approved, delivered, cancelled"],
  [["orders", "list", "--limit", "x"], 2, "an integer from 1 to 999999"],
  [["orders", "list", "--limit", "0"], 2, "an integer from 1 to 999999"],
  [["orders", "list", "x"], 2, "[account-id]: "],
])("%j: exit code %i and a message", async (args, expected, message) => {
  const { code, stdout, stderr } = await inventory(...args);
  expect([code, stdout]).toEqual([expected, ""]);
  expect(stderr).toContain(message);
});
