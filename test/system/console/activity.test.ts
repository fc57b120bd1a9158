import type { Page } from "playwright-core";
import { beforeEach, expect, test } from "vitest";
import { ChangeReason, PetStatus } from "../../../gen/inventory/v1/inventory_pb.ts";
import { scopes } from "../../../src/access/scopes.ts";
import { dayMs } from "../../../src/common/durations.ts";
import { unknownOrigin } from "../../../src/stores/stock-change.ts";
import { addAccount, addKey } from "../../support/accounts.ts";
import { placed } from "../../support/stock.ts";
import { screens } from "./support/browser.ts";
import { account, row, useConsole } from "./support/console.ts";

const shop = "bbbbbbbbbbbb";
const { server, own, open } = useConsole({
  pets: [
    { petId: 1n, quantity: 12, status: PetStatus.AVAILABLE },
    { petId: 2n, quantity: 3, status: PetStatus.AVAILABLE },
  ],
});
const keys = { own: "", shop: "" };

beforeEach(async () => {
  const { stores, clock } = server;
  const { catalog, inventory } = stores;
  await addAccount(stores, { plan: "pro" }, shop);
  await stores.accounts.update(shop, { name: "Harbor Pets" });
  keys.own = (await addKey(stores, account, { name: "till 1" })).keyId;
  keys.shop = (await addKey(stores, shop, { name: "web shop" })).keyId;
  const by = (accountId: string, keyId: string) => ({ ...unknownOrigin, accountId, keyId });
  const arrival = { reason: ChangeReason.ARRIVAL, reference: "DN-7", note: "two boxes" };
  const origin = { ...by(account, keys.own), ...arrival };
  await inventory.change({ petId: 1n, delta: 5 }, { origin });
  clock.now += 2 * dayMs;
  await inventory.change({ petId: 2n, quantity: 9 }, { origin: by(shop, keys.shop) });
  await catalog.update(1n, { status: PetStatus.SOLD });
  await catalog.remove(2n);
});

const rows = (page: Page) => page.locator("tbody tr");
/** The texts of the cells of a row that is named by a text. */
const cells = (page: Page, text: string) => row(page, text).first().locator("td").allTextContents();

async function openAll(): Promise<Page> {
  const { secret } = await addKey(server.stores, account, { name: "office", scopes });
  const page = await open("#/activity", { key: secret });
  await row(page, "Harbor Pets").waitFor();
  return page;
}

test("lists changes of all pets, new statuses and removed pets, with names", async () => {
  const page = await openAll();
  await row(page, "web shop").waitFor();
  await row(page, "till 1").waitFor();
  expect((await cells(page, "removed")).slice(1, 3)).toEqual(["2", "removed"]);
  expect((await cells(page, "sold")).slice(1, 4)).toEqual(["1", " available → sold", "17"]);
  expect((await cells(page, "DN-7")).slice(1)).toEqual([
    ...["1", "+5 ", "17", "arrival"],
    ...["testtill 1", "DN-7", "two boxes"],
  ]);
  await page.getByRole("link", { name: "Harbor Pets" }).click();
  await page.getByRole("heading", { name: "Harbor Pets" }).waitFor();
});

test("hides the person of other accounts, and names the scope that shows it", async () => {
  const page = await open("#/activity");
  await row(page, "till 1").waitFor();
  await expect.poll(() => page.getByText("Harbor Pets").count()).toBe(0);
  await expect.poll(() => page.getByText(keys.shop).count()).toBe(0);
  await page.locator(".scope-hint").filter({ hasText: "inventory:audit" }).waitFor();
});

test("selects by reason, pet, person and day, in the route", async () => {
  const page = await openAll();
  const shown = async (count: number) => expect.poll(() => rows(page).count()).toBe(count);
  await page.getByLabel("Reason").selectOption("a new status");
  await shown(1);
  await row(page, "sold").waitFor();
  await page.getByLabel("Reason").selectOption("every reason");
  await page.getByLabel("Pet").fill("2");
  await page.keyboard.press("Enter");
  await shown(3);
  await page.getByLabel("Changed by").selectOption("Harbor Pets: web shop");
  await shown(1);
  expect(page.url()).toContain(`?pet=2&who=${keys.shop}`);
  await page.getByLabel("Pet").fill("");
  await page.getByLabel("Changed by").selectOption("anyone");
  await page.getByLabel("From").fill("2026-07-17");
  await shown(3);
  await page.getByLabel("To").fill("2026-07-16");
  await page.getByText("There are no such changes.").waitFor();
  await page.goBack();
  await shown(3);
  await expect.poll(() => page.getByLabel("To").inputValue()).toBe("");
});

test("finds a change of a pet behind many others, page by page", async () => {
  const { inventory } = server.stores;
  for (let at = 1; at <= 450; at++) await inventory.change({ petId: 1n, quantity: at });
  const page = await open("#/activity?pet=2");
  await row(page, "removed").waitFor();
  await expect.poll(() => rows(page).count()).toBe(3);
});

test("adds new changes by itself, until older ones are shown", async () => {
  const page = await open("#/activity");
  await row(page, "removed").waitFor();
  await server.stores.inventory.change({ petId: 1n, quantity: 4_321 });
  await row(page, "4,321").waitFor();
});

test("leads from an order of the account to it", async () => {
  const { orderId } = await placed(server.stores.orders, account, 1n, 2, {
    origin: { ...unknownOrigin, keyId: own.keyId },
  });
  const page = await open("#/activity");
  await page.getByRole("link", { name: String(orderId) }).click();
  await row(page, String(orderId)).getByText("placed").waitFor();
  await page.getByRole("link", { name: "Show all orders" }).waitFor();
});

test("shows cards on a phone, also in the history of a pet", async () => {
  const page = await open("#/activity", { viewport: screens.phone });
  for (const hash of ["activity", "stock/1"]) {
    await page.goto(`${server.url}/#/${hash}`);
    const note = row(page, "DN-7").getByText("two boxes");
    await note.waitFor();
    const box = await note.boundingBox();
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(390);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(390);
  }
});
