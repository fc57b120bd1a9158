import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { PetStatus } from "../../../gen/inventory/v1/inventory_pb.ts";
import { violations } from "./support/accessibility.ts";
import { account, useConsole } from "./support/console.ts";

const pets = [
  { petId: 1n, quantity: 1_200, status: PetStatus.AVAILABLE },
  { petId: 2n, quantity: 7, status: PetStatus.AVAILABLE },
];
const { server, open, quantityOf } = useConsole({ pets });

async function changeTo(page: Page, petId: bigint, quantity: number): Promise<void> {
  const name = `Change the quantity of pet ${petId}`;
  await page.getByRole("button", { name, exact: true }).click();
  await page.getByLabel("New quantity").fill(String(quantity));
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText(`Pet ${petId} has the quantity ${quantity} now.`).waitFor();
}

const undo = (page: Page) => page.getByRole("button", { name: "Undo" });

test.each(["any", "strict"] as const)(
  "changes the quantity back, with the write policy %s",
  async (policy) => {
    await server.stores.accounts.update(account, { policy });
    const page = await open();
    await changeTo(page, 1n, 500);
    expect(await violations(page)).toEqual([]);
    await undo(page).dblclick();
    await page.getByText("Undone. Pet 1 has the quantity 1,200 now.").waitFor();
    expect(await quantityOf(1n)).toBe(1_200);
    await expect.poll(() => undo(page).count()).toBe(0);
    const history = await server.stores.inventory.changes({ petId: 1n, limit: 10 });
    expect(history?.changes.map(({ quantityAfter }) => quantityAfter)).toEqual([1_200, 500, 1_200]);
  },
);

test("says so and changes nothing when somebody else has changed the pet in the meantime", async () => {
  const page = await open();
  await changeTo(page, 1n, 500);
  await server.stores.inventory.change({ petId: 1n, quantity: 9 });
  await undo(page).click();
  await page.getByText("Not undone, because pet 1 was changed again in the meantime.").waitFor();
  expect(await quantityOf(1n)).toBe(9);
  await expect.poll(() => undo(page).count()).toBe(0);
});

test("is offered for the last change only, and not to another key", async () => {
  const page = await open();
  await changeTo(page, 1n, 500);
  await changeTo(page, 2n, 8);
  await expect.poll(() => undo(page).count()).toBe(1);
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByLabel("API key").waitFor();
  await expect.poll(() => undo(page).count()).toBe(0);
});

test("is not offered to another key after an error", async () => {
  const page = await open();
  await changeTo(page, 2n, 8);
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route("**/UpdateInventory", async (route) => {
    await promise;
    await route.abort();
  });
  await undo(page).click();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByLabel("API key").waitFor();
  const failed = page.waitForEvent("requestfailed");
  resolve();
  await failed;
  const rendered =
    "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))";
  await page.evaluate(rendered);
  await expect.poll(() => undo(page).count()).toBe(0);
});

test("is offered again after an error that says nothing about the pet", async () => {
  const page = await open();
  await changeTo(page, 2n, 8);
  await page.route("**/UpdateInventory", (route) => route.abort(), { times: 1 });
  await undo(page).click();
  await page.getByText("Not undone. The server cannot be reached.").waitFor();
  await undo(page).click();
  await page.getByText("Undone. Pet 2 has the quantity 7 now.").waitFor();
});
