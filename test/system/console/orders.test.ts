import type { Page } from "playwright-core";
import { beforeEach, expect, test } from "vitest";
import { PetStatus } from "../../../gen/inventory/v1/inventory_pb.ts";
import { OrderStatus } from "../../../gen/store/v1/store_pb.ts";
import { addAccount, addKey } from "../../support/accounts.ts";
import { placed } from "../../support/stock.ts";
import { account, loseFirst, press, row, useConsole } from "./support/console.ts";

const pets = [
  { petId: 1n, quantity: 12, status: PetStatus.AVAILABLE },
  { petId: 9_007_199_254_740_993n, quantity: 3, status: PetStatus.AVAILABLE },
];
const { server, browser, own, quantityOf, hold } = useConsole({ pets });

beforeEach(async () => {
  const { stores, clock } = server;
  // The page compares the times of holds with the clock of this computer.
  clock.now = Date.now();
  await addAccount(stores, { plan: "pro" }, "bbbbbbbbbbbb");
});

const open = (hash: string, key = own.key) => browser.open(server.url, { key, hash });

async function fillOrder(page: Page, petId: string, quantity: string): Promise<void> {
  await press(page, "Place an order");
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Pet", { exact: true }).fill(petId);
  await dialog.getByLabel("Quantity").fill(quantity);
}
const submit = (page: Page) =>
  page.getByRole("dialog").getByRole("button", { name: "Place the order" });

test.each(["any", "strict"] as const)(
  "places an order once for two clicks, with the write policy %s",
  async (policy) => {
    await server.stores.accounts.update(account, { policy });
    const page = await open("#/orders");
    await page.getByText("The account has no orders.").waitFor();
    await fillOrder(page, "9007199254740993", "2");
    await submit(page).dblclick();
    await page.getByText(/Order \d+ is placed: 2 of pet 9007199254740993\./).waitFor();
    await row(page, /9007199254740993\s*2\s*placed/).waitFor();
    expect(await quantityOf(9_007_199_254_740_993n)).toBe(1);
    await press(page, "Undo");
    await page.getByText(/Undone\. Order \d+ is cancelled\./).waitFor();
    await page.getByRole("row").filter({ hasText: "cancelled" }).waitFor();
    expect(await quantityOf(9_007_199_254_740_993n)).toBe(3);
  },
);

test("places one order when the first response is lost", async () => {
  const page = await open("#/orders");
  const calls = await loseFirst(page, "PlaceOrder");
  await fillOrder(page, "1", "5");
  await submit(page).click();
  await page.getByText("Send the same values again: then it is placed once.").waitFor();
  await submit(page).click();
  await page.getByText(/Order \d+ is placed: 5 of pet 1\./).waitFor();
  expect(await quantityOf(1n)).toBe(7);
  expect(calls()).toBe(2);
});

test("keeps saying that the first order can be placed after another one is refused", async () => {
  const page = await open("#/orders");
  await page.route("**/PlaceOrder", (route) => route.abort(), { times: 1 });
  await fillOrder(page, "1", "5");
  await submit(page).click();
  const advice = page.getByText(/^It is unknown whether the order was placed\./);
  await advice.waitFor();
  await page.getByLabel("Quantity").fill("13");
  await submit(page).click();
  await page.getByText("The stock of pet 1 is 12, less than the 13 to be removed.").waitFor();
  await expect.poll(() => advice.count()).toBe(1);
});

test("names a stock that is too small, and values out of bounds", async () => {
  const page = await open("#/orders");
  await fillOrder(page, "1", "13");
  await submit(page).click();
  await page.getByText("The stock of pet 1 is 12, less than the 13 to be removed.").waitFor();
  await page.getByLabel("Quantity").fill("0");
  await submit(page).click();
  await page.getByText("Quantity must be between 1 and 2147483647.").waitFor();
  expect(await quantityOf(1n)).toBe(12);
});

test("lists the account's own orders, and cancels those that can be cancelled", async () => {
  const { orders } = server.stores;
  const first = await placed(orders, account, 1n, 2);
  const second = await placed(orders, account, 1n, 3);
  const other = await placed(orders, "bbbbbbbbbbbb", 1n, 4);
  await orders.advance(account, first.orderId, OrderStatus.DELIVERED);
  const page = await open("#/orders");
  await row(page, String(first.orderId)).waitFor();
  await expect.poll(() => page.getByText(String(other.orderId)).count()).toBe(0);
  await expect.poll(() => page.getByRole("button", { name: /^Cancel order/ }).count()).toBe(1);
  await press(page, `Cancel order ${second.orderId}`);
  await page.getByText("This puts 3 units of pet 1 back into stock.").waitFor();
  await page.getByRole("button", { name: "Cancel the order" }).dblclick();
  await page.getByText(`Order ${second.orderId} is cancelled.`).waitFor();
  await page.getByRole("row").filter({ hasText: "cancelled" }).waitFor();
  expect(await quantityOf(1n)).toBe(6);
});

test("lists the newest orders after a new one, without those that were added below", async () => {
  const { inventory, orders } = server.stores;
  await inventory.change({ petId: 1n, quantity: 500 });
  for (let count = 0; count < 120; count += 1) await placed(orders, account, 1n, 1);
  const newestIds = async (limit: number) =>
    (await orders.list({ accountId: account, limit })).orders.map(({ orderId }) => String(orderId));
  const page = await open("#/orders");
  const shownIds = () => page.locator("tbody tr td:first-child").allTextContents();
  await expect.poll(shownIds).toEqual(await newestIds(100));
  await press(page, "Show more");
  await expect.poll(shownIds).toEqual(await newestIds(120));
  await fillOrder(page, "1", "1");
  await submit(page).click();
  await page.getByText(/Order \d+ is placed/).waitFor();
  await expect.poll(shownIds).toEqual(await newestIds(100));
});

test("lists the active holds with their contents and a countdown, and releases them", async () => {
  const { holds } = server.stores;
  const items = [
    { petId: 1n, quantity: 2 },
    { petId: 9_007_199_254_740_993n, quantity: 1 },
  ];
  await holds.put(account, "cart-7", { items, ttlMs: 90_000 });
  await holds.put("bbbbbbbbbbbb", "cart-8", { items: [{ petId: 1n, quantity: 1 }], ttlMs: 90_000 });
  const page = await open("#/orders/holds");
  const row = page.getByRole("row").filter({ hasText: "cart-7" });
  await row.filter({ hasText: "2 of pet 1" }).waitFor();
  await row.filter({ hasText: "1 of pet 9007199254740993" }).waitFor();
  await expect.poll(() => page.getByText("cart-8").count()).toBe(0);
  const left = await row.locator(".countdown").textContent();
  await expect.poll(() => row.locator(".countdown").textContent()).not.toBe(left);
  await press(page, "Release hold cart-7");
  await page.getByText("This puts 3 units back into stock.").waitFor();
  await press(page, "Release the hold");
  await page.getByText("The account has no active holds.").waitFor();
  expect(await quantityOf(1n)).toBe(11);
});

async function fillPet(page: Page, at: number, petId: string, units: string): Promise<void> {
  const group = page.getByRole("group", { name: `Pet ${at}` });
  await group.getByLabel("Pet", { exact: true }).fill(petId);
  await group.getByLabel("Units").fill(units);
}

test("places a hold of two pets, and changes it", async () => {
  const { holds } = server.stores;
  const page = await open("#/orders/holds");
  await press(page, "Place a hold");
  await page.getByLabel("Hold", { exact: true }).fill("cart-7");
  await fillPet(page, 1, "1", "2");
  await press(page, "Add a pet");
  await fillPet(page, 2, "9007199254740993", "4");
  await press(page, "Place the hold");
  await page
    .getByText(/the stock of pet 9007199254740993 is 3/)
    .first()
    .waitFor();
  await fillPet(page, 2, "9007199254740993", "1");
  await press(page, "Place the hold");
  await page.getByText("Hold cart-7 is placed.").waitFor();
  await page.getByRole("row").filter({ hasText: "2 of pet 1" }).waitFor();
  await press(page, "Change hold cart-7");
  await press(page, "Leave out pet 2");
  await page.getByLabel("Units").fill("5");
  await page.getByLabel("Minutes").fill("60");
  await press(page, "Change the hold");
  await page.getByRole("row").filter({ hasText: "5 of pet 1" }).waitFor();
  const hold = await holds.get(account, "cart-7");
  expect(hold?.items).toEqual([{ petId: 1n, quantity: 5 }]);
  expect((hold?.expiresAt ?? 0) - Date.now()).toBeGreaterThan(50 * 60_000);
  expect(await quantityOf(9_007_199_254_740_993n)).toBe(3);
});

test("does not replace an active hold by a new one with its id", async () => {
  const { holds } = server.stores;
  const items = [{ petId: 1n, quantity: 2 }];
  await holds.put(account, "cart-7", { items, ttlMs: 90_000 });
  const page = await open("#/orders/holds");
  await press(page, "Place a hold");
  await page.getByLabel("Hold", { exact: true }).fill("cart-7");
  await fillPet(page, 1, "1", "9");
  await press(page, "Place the hold");
  await page.getByRole("dialog").getByRole("alert").waitFor();
  await press(page, "Place the hold");
  await page.getByRole("dialog").getByRole("alert").waitFor();
  expect((await holds.get(account, "cart-7"))?.items).toEqual(items);
});

test("places a hold again whose first response was lost", async () => {
  const page = await open("#/orders/holds");
  const calls = await loseFirst(page, "PutHold");
  await press(page, "Place a hold");
  await page.getByLabel("Hold", { exact: true }).fill("cart-7");
  await fillPet(page, 1, "1", "9");
  await press(page, "Place the hold");
  await page.getByRole("dialog").getByRole("alert").waitFor();
  await press(page, "Place the hold");
  await page.getByText("Hold cart-7 is placed.").waitFor();
  expect([calls(), await quantityOf(1n)]).toEqual([2, 3]);
});

test("lists new orders and holds by itself, and those of a reference", async () => {
  const { orders, holds } = server.stores;
  const page = await open("#/orders");
  await page.getByText("The account has no orders.").waitFor();
  const { orderId } = await placed(orders, account, 1n, 2, {}, "cart 7");
  await placed(orders, account, 1n, 1);
  await page.getByRole("row").filter({ hasText: "cart 7" }).waitFor();
  await page.getByLabel("Reference").fill("cart 7");
  await page.keyboard.press("Enter");
  await expect.poll(() => page.locator("tbody tr").count()).toBe(1);
  await page.getByText(String(orderId)).waitFor();
  await page.getByRole("link", { name: "Holds" }).click();
  await page.getByText("The account has no active holds.").waitFor();
  await holds.put(account, "cart-8", { items: [{ petId: 1n, quantity: 2 }], ttlMs: 90_000 });
  await page.getByRole("row").filter({ hasText: "cart-8" }).waitFor();
});

test("keeps what a dangerous button would end", async () => {
  await placed(server.stores.orders, account, 1n, 2);
  const page = await open("#/orders");
  await press(page, /^Cancel order/);
  await press(page, "Keep");
  await expect.poll(() => page.getByRole("dialog").count()).toBe(0);
  expect(await quantityOf(1n)).toBe(10);
});

test("shows the held units of a pet, and its holds", async () => {
  const { holds } = server.stores;
  const items = [{ petId: 1n, quantity: 2 }];
  await holds.put(account, "cart-7", { items, ttlMs: 90_000 });
  await holds.put("bbbbbbbbbbbb", "cart-8", { items, ttlMs: 90_000 });
  const page = await open("#/stock/1");
  const region = page.getByRole("region", { name: "Holds", exact: true });
  await region
    .getByText("4 units held. 12 on the shelf, of which 8 for sale.", { exact: true })
    .waitFor();
  await region.getByText("cart-7").click();
  await page.getByRole("heading", { name: "Hold cart-7" }).waitFor();
  await expect.poll(() => page.getByText("cart-8").count()).toBe(0);
});

test("no longer lists a hold when its time is over", async () => {
  await hold(1n, 2, 90_000);
  const page = await open("#/orders/holds");
  await page.getByText("cart-7").waitFor();
  await page.clock.install();
  await page.reload();
  await page.getByText("cart-7").waitFor();
  // A response would set the clock of the page to that of the service.
  await page.route("**/ListHolds", (route) => route.abort());
  await page.clock.runFor(100_000);
  await page.getByText("The account has no active holds.").waitFor();
});

test("offers what the scopes of the key allow, and names the others", async () => {
  const reader = await addKey(server.stores, account, { scopes: ["store:read"] });
  await hold(1n, 2, 90_000);
  const page = await open("#/orders/holds", reader.secret);
  await page
    .locator(".scope-hint")
    .filter({ hasText: "release holds, a key needs the scope store:write" })
    .waitFor();
  await page.getByText("cart-7").waitFor();
  await expect.poll(() => page.getByRole("button", { name: /^Release/ }).count()).toBe(0);
  await page.getByRole("link", { name: "Orders", exact: true }).last().click();
  await expect.poll(() => page.getByRole("button", { name: "Place an order" }).count()).toBe(0);
  const writer = await addKey(server.stores, account, { scopes: ["inventory:read"] });
  const other = await open("#/orders", writer.secret);
  await other.getByText("To see this view, a key needs the scope store:read.").waitFor();
});
