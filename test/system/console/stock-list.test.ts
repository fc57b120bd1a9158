import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { PetStatus } from "../../../gen/inventory/v1/inventory_pb.ts";
import { itemsFrom } from "../../support/stock.ts";
import { violations } from "./support/accessibility.ts";
import { useConsole } from "./support/console.ts";

const pets = [
  { petId: 1n, quantity: 30, status: PetStatus.AVAILABLE },
  { petId: 2n, quantity: 10, status: PetStatus.SOLD },
  { petId: 12n, quantity: 20, status: PetStatus.PENDING },
  { petId: 21n, quantity: 40, status: PetStatus.AVAILABLE },
];
const { server, open } = useConsole({ pets });

/** Waits until the list has these pets in this order. */
async function listed(page: Page, ids: readonly number[]): Promise<void> {
  await expect
    .poll(() => page.locator(".row-pet").allTextContents())
    .toEqual(ids.map((id) => String(id)));
}

const sortBy = (page: Page, name: string) =>
  page.getByRole("columnheader", { name }).getByRole("button").click();
const orderOf = (page: Page, name: string) =>
  page.getByRole("columnheader", { name }).getAttribute("aria-sort");

test("is sorted by the columns, in both directions", async () => {
  const page = await open();
  await listed(page, [1, 2, 12, 21]);
  expect(await orderOf(page, "Pet")).toBe("ascending");
  await sortBy(page, "Available");
  await listed(page, [2, 12, 1, 21]);
  await sortBy(page, "Available");
  await listed(page, [21, 1, 12, 2]);
  expect(await orderOf(page, "Available")).toBe("descending");
  expect(await orderOf(page, "Pet")).toBe("none");
  expect(await violations(page)).toEqual([]);
  await server.stores.inventory.change({ petId: 2n, quantity: 35 });
  await listed(page, [21, 2, 1, 12]);
  await sortBy(page, "Status");
  await listed(page, [1, 21, 12, 2]);
});

test("keeps search, filters and order in the address", async () => {
  const page = await open("#/stock?q=2&status=sold&max=99&sort=-quantity");
  await listed(page, [2]);
  await expect.poll(() => page.getByLabel("Find a pet").inputValue()).toBe("2");
  await expect.poll(() => page.getByLabel("Quantity at most").inputValue()).toBe("99");
  await page.getByLabel("Status").selectOption("Every status");
  await listed(page, [21, 12, 2]);
  await page.getByLabel("Find a pet").fill("1");
  await listed(page, [21, 1, 12]);
  expect(new URL(page.url()).hash).toBe("#/stock?q=1&max=99&sort=-quantity");

  await page.reload();
  await listed(page, [21, 1, 12]);
  await page.getByRole("link", { name: "21", exact: true }).click();
  await page.getByText(/^40 in stock/).waitFor();
  await page.getByRole("link", { name: "All pets" }).click();
  await listed(page, [21, 1, 12]);
  await page.goBack();
  await page.goBack();
  await listed(page, [21, 1, 12]);
  await page.goBack();
  await listed(page, [2]);
  await expect.poll(() => page.getByLabel("Status").inputValue()).not.toBe("");
  await page.goForward();
  await listed(page, [21, 1, 12]);
});

test("gives the focus to the search by a slash, unless a field has it", async () => {
  const page = await open();
  await listed(page, [1, 2, 12, 21]);
  await page.keyboard.press("/");
  await page.locator("input[type='search']:focus").waitFor();
  await page.keyboard.type("2");
  await listed(page, [2, 21, 12]);
  await page.getByRole("button", { name: "Change the quantity of pet 2", exact: true }).click();
  await page.getByLabel("Note").pressSequentially("a/");
  await expect.poll(() => page.getByLabel("Note").inputValue()).toBe("a/");
});

test("begins at its top after a new search, and where it was after a visit of a pet", async () => {
  const pets = itemsFrom(1_000n, 300);
  await server.stores.catalog.put(pets);
  const page = await open();
  await page.getByText("304 pets", { exact: true }).waitFor();
  await page.evaluate("document.querySelector('.rows').scrollTo(0, 9000)");
  const top = () => page.evaluate("document.querySelector('.rows').scrollTop");
  await page.getByRole("link", { name: "1200", exact: true }).click();
  await page.goBack();
  await page.getByRole("link", { name: "1200", exact: true }).waitFor();
  expect(await top()).toBe(9_000);
  await page.getByLabel("Find a pet").fill("1");
  await page.getByRole("link", { name: "1", exact: true }).waitFor();
  expect(await top()).toBe(0);
});
