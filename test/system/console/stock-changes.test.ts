import type { Page } from "playwright-core";
import { afterEach, describe, expect, test, vi } from "vitest";
import { PetStatus } from "../../../gen/inventory/v1/inventory_pb.ts";
import { scopes } from "../../../src/access/scopes.ts";
import { addKey } from "../../support/accounts.ts";
import { itemsFrom } from "../../support/stock.ts";
import { account, dialog, loseFirst, press, shows, useConsole } from "./support/console.ts";

const large = 9_007_199_254_740_993n;

const pets = [
  { petId: 1n, quantity: 12, status: PetStatus.AVAILABLE },
  { petId: 2n, quantity: 0, status: PetStatus.SOLD },
  { petId: 31n, quantity: 7, status: PetStatus.PENDING },
  { petId: large, quantity: 3, status: PetStatus.AVAILABLE },
];
const { server, browser, open: openView, quantityOf, hold } = useConsole({ pets, scopes });

afterEach(() => void vi.restoreAllMocks());

const open = async (hash = "#/stock") => {
  const page = await openView(hash);
  await page.getByText("Live", { exact: true }).waitFor();
  return page;
};
const select = async (page: Page, ...petIds: readonly (number | bigint)[]) => {
  for (const petId of petIds) {
    await page.getByRole("checkbox", { name: `Select pet ${petId}`, exact: true }).click();
  }
};
const itemOf = (petId: bigint) => server.stores.inventory.get(petId);
const changesOf = async (petId: bigint) =>
  (await server.stores.inventory.changes({ petId, limit: 10 }))?.changes ?? [];

test("adds a pet, once for two clicks, and names one that exists", async () => {
  const page = await open();
  await press(page, "Add a pet");
  await page.getByLabel("Pet", { exact: true }).fill(String(large + 1n));
  await page.getByLabel("Quantity", { exact: true }).fill("5");
  await dialog(page).getByLabel("Status").selectOption("pending");
  await dialog(page).getByRole("button", { name: "Add" }).dblclick();
  await page.getByText(`Pet ${large + 1n} is in the stock now.`).waitFor();
  expect(await itemOf(large + 1n)).toMatchObject({ quantity: 5, status: PetStatus.PENDING });
  await press(page, "Add a pet");
  await page.getByLabel("Pet", { exact: true }).fill("1");
  await dialog(page).getByRole("button", { name: "Add" }).click();
  await page.getByText("Pet 1 is in the inventory already.").waitFor();
  expect(await quantityOf(1n)).toBe(12);
});

test("sets the status of one pet on its page, and removes it", async () => {
  const page = await open("#/stock/31");
  await press(page, "Set the status");
  await dialog(page).getByLabel("Status").selectOption("sold");
  await dialog(page).getByRole("button", { name: "Set the status" }).click();
  await page.getByText("1 pet is sold now.", { exact: true }).waitFor();
  expect(await itemOf(31n)).toMatchObject({ quantity: 7, status: PetStatus.SOLD });
  await press(page, "Undo");
  await page.getByText("Undone. 1 pet has the status of before.").waitFor();
  expect(await itemOf(31n)).toMatchObject({ quantity: 7, status: PetStatus.PENDING });
  await press(page, "Remove");
  await shows(dialog(page), /^7 units are in stock\./);
  await dialog(page).getByRole("button", { name: "Remove" }).click();
  await page.getByText("There is no pet 31 in the stock.").waitFor();
  expect(await itemOf(31n)).toBeUndefined();
});

test("sets the status back although the page has not seen the change yet", async () => {
  let arrival = Promise.resolve();
  const { readChanges } = server.stores;
  vi.spyOn(server.stores, "readChanges").mockImplementation((onRevoked) => {
    const reader = readChanges(onRevoked);
    const next: typeof reader.next = async (version) => {
      const found = await reader.next(version);
      await arrival;
      return found;
    };
    return { ...reader, next };
  });
  const page = await open("#/stock/31");
  const { promise, resolve } = Promise.withResolvers<void>();
  arrival = promise;
  await press(page, "Set the status");
  await dialog(page).getByLabel("Status").selectOption("sold");
  await dialog(page).getByRole("button", { name: "Set the status" }).click();
  await press(page, "Undo");
  await page.getByText("Undone. 1 pet has the status of before.").waitFor();
  expect(await itemOf(31n)).toMatchObject({ status: PetStatus.PENDING });
  resolve();
});

test("leaves the status of a pet that somebody else has set again", async () => {
  const page = await open("#/stock/31");
  await press(page, "Set the status");
  await dialog(page).getByLabel("Status").selectOption("sold");
  await dialog(page).getByRole("button", { name: "Set the status" }).click();
  await page.getByText("1 pet is sold now.", { exact: true }).waitFor();
  await server.stores.catalog.update(31n, { status: PetStatus.AVAILABLE });
  await press(page, "Undo");
  await page.getByText("Undone. 0 pets have the status of before.").waitFor();
  expect(await itemOf(31n)).toMatchObject({ status: PetStatus.AVAILABLE });
});

test("removes several pets after a double click, and names those with held units", async () => {
  await hold(31n, 1);
  const page = await open();
  await select(page, 1, 31, large);
  await press(page, "Remove");
  await dialog(page).getByRole("button", { name: "Remove" }).dblclick();
  await dialog(page).getByText("Units of pet 31 are held.").waitFor();
  await dialog(page).getByText("2 pets are removed.", { exact: true }).waitFor();
  expect(await itemOf(1n)).toBeUndefined();
  expect(await itemOf(large)).toBeUndefined();
  expect(await quantityOf(31n)).toBe(6);
});

test("goes on with a removal whose response was lost", async () => {
  const page = await open();
  const calls = await loseFirst(page, "RemovePet");
  await select(page, 1, 2);
  await press(page, "Remove");
  await dialog(page).getByRole("button", { name: "Remove" }).click();
  await page.getByText("2 pets are removed.", { exact: true }).waitFor();
  expect(calls()).toBe(3);
});

describe("quantities of several pets", () => {
  test.each(["any", "strict"] as const)(
    "are set together, with the write policy %s",
    async (policy) => {
      await server.stores.accounts.update(account, { policy });
      const page = await open();
      await select(page, 1, 2, large);
      await page.getByText("3 pets selected", { exact: true }).waitFor();
      await press(page, "Change quantities");
      await page.getByLabel("New quantity").fill("50");
      await page.getByLabel("Reason").selectOption("arrival");
      await page.getByLabel("Note").fill("van 4");
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByRole("button", { name: "Save anyway" }).dblclick();
      await page.getByText("3 quantities are changed.", { exact: true }).waitFor();
      for (const petId of [1n, 2n, large]) {
        const [change, ...older] = await changesOf(petId);
        expect(change?.quantityAfter).toBe(50);
        expect(change?.note).toBe("van 4");
        expect(older).toHaveLength(1);
      }
      expect(await quantityOf(31n)).toBe(7);
      await press(page, "Undo");
      await page.getByText("Undone. 3 quantities are as before.").waitFor();
      expect(await Promise.all([1n, 2n, large].map(quantityOf))).toEqual([12, 0, 3]);
    },
  );

  test.each(["any", "strict"] as const)(
    "are added to, with the write policy %s",
    async (policy) => {
      await server.stores.accounts.update(account, { policy });
      const page = await open();
      await page.getByRole("checkbox", { name: "Select all pets of the list" }).click();
      await page.getByText("4 pets selected", { exact: true }).waitFor();
      await press(page, "Change quantities");
      await page.getByLabel("Action").selectOption("Add to or subtract from each");
      await page.getByLabel("Amount").fill("-3");
      await page.getByRole("button", { name: "Save" }).click();
      await shows(dialog(page), /Pet 2: .*the quantity is 0, which is too small/);
      expect(await quantityOf(1n)).toBe(12);
      await page.getByLabel("Amount").fill("3");
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByText("4 quantities are changed.", { exact: true }).waitFor();
      expect(await quantityOf(1n)).toBe(15);
      expect(await quantityOf(2n)).toBe(3);
      await server.stores.inventory.change({ petId: 31n, quantity: 99 });
      await press(page, "Undo");
      await page.getByText(/Not undone, because .* was changed again in the meantime/).waitFor();
      expect(await quantityOf(1n)).toBe(15);
    },
  );

  test("are not set when a pet has changed in the meantime: it is named, and the second try sets them", async () => {
    const page = await open();
    await select(page, 1, 31, large);
    await press(page, "Change quantities");
    await server.stores.inventory.change({ petId: 31n, quantity: 9 });
    await server.stores.catalog.remove(large);
    await page.getByLabel("New quantity").fill("20");
    await page.getByRole("button", { name: "Save" }).click();
    const notice = dialog(page).getByRole("alert");
    await notice.getByText("Pet 31: the quantity is 9.").waitFor();
    await notice.getByText(`Pet ${large}: there is no such pet.`).waitFor();
    expect(await quantityOf(1n)).toBe(12);
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("2 quantities are changed.", { exact: true }).waitFor();
    expect(await quantityOf(1n)).toBe(20);
    expect(await quantityOf(31n)).toBe(20);
  });

  test("are added once when the first response is lost", async () => {
    const page = await open();
    const calls = await loseFirst(page, "BatchAdjustInventory");
    await select(page, 1, 31);
    await press(page, "Change quantities");
    await page.getByLabel("Action").selectOption("Add to or subtract from each");
    await page.getByLabel("Amount").fill("5");
    await page.getByRole("button", { name: "Save" }).click();
    await dialog(page).getByText("The server cannot be reached.").waitFor();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("2 quantities are changed.", { exact: true }).waitFor();
    expect(await quantityOf(1n)).toBe(17);
    expect(calls()).toBe(2);
  });

  test("are changed in parts when more are selected than a batch can have, and undone", async () => {
    await server.stores.accounts.update(account, { choice: { plan: "business" } });
    await server.stores.catalog.put(itemsFrom(1_000n, 1_000, 1, PetStatus.SOLD));
    await server.stores.catalog.put(itemsFrom(2_000n, 497, 1, PetStatus.SOLD));
    const page = await open();
    await page.getByText("1,501 pets", { exact: true }).waitFor();
    await page.getByRole("checkbox", { name: "Select all pets of the list" }).click();
    await page.getByText("1,501 pets selected", { exact: true }).waitFor();
    await press(page, "Change quantities");
    await dialog(page).getByText("in parts of 1,000").waitFor();
    await dialog(page).getByText("It counts as 76 requests.").waitFor();
    await page.getByLabel("New quantity").fill("6");
    // In the second part.
    await server.stores.inventory.change({ petId: 2_400n, quantity: 9 });
    await page.getByRole("button", { name: "Save" }).click();
    await dialog(page)
      .getByText("1,000 of 1,501 quantities are changed.", { exact: true })
      .waitFor();
    await dialog(page).getByText("Pet 2400: the quantity is 9.").waitFor();
    expect(await quantityOf(1_000n)).toBe(6);
    expect(await quantityOf(2_000n)).toBe(1);
    await press(page, "Continue");
    await page.getByText("1,501 quantities are changed.", { exact: true }).waitFor();
    expect(await quantityOf(2_400n)).toBe(6);
    await press(page, "Undo");
    await page.getByText("Undone. The quantities are as before.").waitFor();
    expect(await Promise.all([1n, 2n, 1_000n, 2_400n].map(quantityOf))).toEqual([12, 0, 1, 9]);
  });

  test("are selected as a range, and only where the list shows them", async () => {
    const page = await open();
    await select(page, 1);
    const last = page.getByRole("checkbox", { name: "Select pet 31", exact: true });
    await last.click({ modifiers: ["Shift"] });
    await page.getByText("3 pets selected", { exact: true }).waitFor();
    await page.getByLabel("Find a pet").fill("31");
    await page.getByText("1 pet selected", { exact: true }).waitFor();
  });
});

test("is not offered to a key that may only read: the page names the scopes", async () => {
  const { secret } = await addKey(server.stores, account, { scopes: ["inventory:read"] });
  const page = await browser.open(server.url, { key: secret });
  await page
    .locator(".scope-hint")
    .filter({
      hasText: /change quantities.*scope inventory:write; to add, import.*scope catalog:write/,
    })
    .waitFor();
  await expect.poll(() => page.getByRole("checkbox").count()).toBe(0);
  await expect.poll(() => page.getByRole("button", { name: /^Change/ }).count()).toBe(0);
  for (const name of ["Add a pet", "Import a file"]) {
    await expect.poll(() => page.getByRole("button", { name }).count()).toBe(0);
  }
  await page.getByRole("button", { name: "Export" }).waitFor();
  await page.goto(`${server.url}/#/stock/1`);
  await page.getByText(/^12 in stock/).waitFor();
  await page.locator(".scope-hint").waitFor();
  for (const name of ["Change the quantity", "Order", "Set the status", "Remove"]) {
    await expect.poll(() => page.getByRole("button", { name, exact: true }).count()).toBe(0);
  }
});
