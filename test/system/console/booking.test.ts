import type { Page } from "playwright-core";
import { beforeEach, describe, expect, test } from "vitest";
import { ChangeReason, PetStatus } from "../../../gen/inventory/v1/inventory_pb.ts";
import { itemsFrom } from "../../support/stock.ts";
import { violations } from "./support/accessibility.ts";
import { screens } from "./support/browser.ts";
import { account, chooseFile, press, shows, useConsole } from "./support/console.ts";

const pets = [
  { petId: 1n, quantity: 12, status: PetStatus.AVAILABLE },
  { petId: 2n, quantity: 4, status: PetStatus.AVAILABLE },
  ...itemsFrom(100n, 30, 5),
];
const { server, open: openView, quantityOf, hold } = useConsole({ pets, plan: "business" });

beforeEach(async () => {
  server.clock.now = Date.now();
  await hold(1n, 3);
});

async function open(
  link: string,
  viewport: (typeof screens)[keyof typeof screens] = screens.desktop,
) {
  const page = await openView("#/stock", { viewport });
  await page.getByText("Live", { exact: true }).waitFor();
  await page.getByRole("link", { name: link, exact: true }).click();
  return page;
}

async function scan(page: Page, ...codes: readonly string[]): Promise<void> {
  for (const code of codes) {
    await page.getByLabel("Scan or find a pet").fill(code);
    await page.keyboard.press("Enter");
  }
}

const line = (page: Page, petId: number) =>
  page.getByRole("row").filter({ has: page.getByRole("textbox", { name: `of pet ${petId}` }) });

const lastChange = async (petId: bigint) =>
  (await server.stores.inventory.changes({ petId, limit: 10 }))?.changes[0];

test("the list has the units that are held and on hand, as holds come and go", async () => {
  const page = await openView("#/stock");
  const levels = () =>
    page
      .getByRole("row")
      .filter({ has: page.getByRole("link", { name: "1", exact: true }) })
      .locator("td.number")
      .allTextContents();
  await expect.poll(levels, { timeout: 15_000 }).toEqual(["9", "3", "12"]);
  await server.stores.holds.release(account, "cart-7");
  await expect.poll(levels, { timeout: 15_000 }).toEqual(["12", "0", "12"]);
});

describe("a delivery", () => {
  test.each(["desktop", "phone"] as const)(
    "is booked in by scans and undone: %s",
    async (screen) => {
      const page = await open("Receive", screens[screen]);
      await scan(page, "1", "2", "1", "77");
      await page.getByText("No pet has the name, SKU or id 77.").waitFor();
      await line(page, 1).getByText("9 → 11", { exact: true }).waitFor();
      await expect
        .poll(() => line(page, 1).getByRole("cell").allTextContents())
        .toEqual(["1", "", "9 → 11", "3", "Leave out"]);
      await page.getByRole("textbox", { name: "Units of pet 2" }).fill("6");
      await page.getByLabel("Reference").fill("LS-4711");
      expect(await violations(page)).toEqual([]);
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(
        screens[screen].width,
      );
      await press(page, "Book in 2 pets");
      await page.getByText("2 quantities are changed.", { exact: true }).waitFor();
      expect(await Promise.all([1n, 2n].map(quantityOf))).toEqual([11, 10]);
      expect(await lastChange(2n)).toMatchObject({
        reason: ChangeReason.ARRIVAL,
        reference: "LS-4711",
      });
      await press(page, "Undo");
      await page.getByText("Undone. The quantities are as before.").waitFor();
      expect(await Promise.all([1n, 2n].map(quantityOf))).toEqual([9, 4]);
      expect(await lastChange(2n)).toMatchObject({ note: "Undo", reference: "LS-4711" });
    },
  );

  const file = `petId,units\n${Array.from({ length: 30 }, (_, n) => `${n + 100},2\n`).join("")}`;

  test("of 30 pets is booked in from a file, once although its response is lost and the file is booked again", async () => {
    const page = await open("Receive");
    let calls = 0;
    await page.route("**/BatchAdjustInventory", async (route) => {
      calls += 1;
      if (calls !== 1) return route.continue();
      await route.fetch();
      await route.abort();
    });
    await chooseFile(page, file);
    await press(page, "Book in 30 pets");
    await page.getByText("30 quantities are changed.", { exact: true }).waitFor();
    expect(calls).toBe(2);
    expect(await quantityOf(129n)).toBe(7);
    await chooseFile(page, file);
    await press(page, "Book in 30 pets");
    await page.getByText(/^30 rows were booked before\. Nothing is changed\./).waitFor();
    expect(await quantityOf(129n)).toBe(7);
  });

  test("names the wrong rows of a file with their values, and keeps the others", async () => {
    const page = await open("Receive");
    await chooseFile(page, "name;units\n");
    await page.getByText('fields are separated by ";"').waitFor();
    await chooseFile(page, "Pet ID,Qty\n1,2\nX-9,2\n2,x\n1,3\n");
    const alert = page.getByRole("alert");
    await alert.getByText('Line 3: no pet has the id "X-9".').waitFor();
    await shows(alert, 'Line 4: the units must be a whole number other than 0, not "x".');
    await alert.getByText("Line 5: pet 1 is in the file twice.").waitFor();
    await page.getByRole("button", { name: "Book in 1 pet" }).waitFor();
    await page.getByRole("link", { name: "Stock", exact: true }).click();
    await page.getByText("The list of 1 pet is not saved.").waitFor();
    await press(page, "Discard");
    await page.getByText("32 pets", { exact: true }).waitFor();
  });
});

describe("a count", () => {
  test.each(["any", "strict"] as const)(
    "leaves held units alone, names the pets that it cannot have, and is undone, with the write policy %s",
    async (policy) => {
      await server.stores.accounts.update(account, { policy });
      const page = await open("Count");
      await scan(page, "1", "2");
      await page.getByRole("textbox", { name: "Counted of pet 1" }).fill("2");
      await page.getByRole("textbox", { name: "Counted of pet 2" }).fill("5");
      await page.getByLabel("Note").fill("shelf 4");
      await line(page, 2).getByText("4 → 5", { exact: true }).waitFor();
      await press(page, "Book the count of 2 pets");
      await page.getByText(/Pet 1: .*3.*held/).waitFor();
      expect(await quantityOf(2n)).toBe(4);
      await page.getByRole("dialog").getByText("Close", { exact: true }).click();
      await page.getByRole("textbox", { name: "Counted of pet 1" }).fill("10");
      await line(page, 1).getByText("9 → 7", { exact: true }).waitFor();
      expect(await violations(page)).toEqual([]);
      await press(page, "Book the count of 2 pets");
      await page.getByText("2 quantities are changed.", { exact: true }).waitFor();
      expect(await Promise.all([1n, 2n].map(quantityOf))).toEqual([7, 5]);
      expect(await lastChange(1n)).toMatchObject({ reason: ChangeReason.COUNT, note: "shelf 4" });
      await server.stores.holds.release(account, "cart-7");
      expect(await quantityOf(1n)).toBe(10);
      await press(page, "Undo");
      await page.getByText("Undone. The quantities are as before.").waitFor();
      // Two more units than were counted, and the released ones.
      expect(await Promise.all([1n, 2n].map(quantityOf))).toEqual([12, 4]);
    },
  );

  test("is not booked before its held units are known", async () => {
    const page = await open("Count");
    const known = Promise.withResolvers<void>();
    await page.route("**/ListStockLevels", (route) => known.promise.then(() => route.continue()));
    await scan(page, "1");
    await page.getByRole("textbox", { name: "Counted of pet 1" }).fill("10");
    await press(page, "Book the count of 1 pet");
    await page.getByText("The held units of 1 pet are not known yet. Try again.").waitFor();
    await expect
      .poll(() => line(page, 1).getByRole("cell").allTextContents())
      .toEqual(["1", "", "9", "", "Leave out"]);
    known.resolve();
    await line(page, 1).getByText("9 → 7", { exact: true }).waitFor();
    await press(page, "Book the count of 1 pet");
    await page.getByText("1 quantity is changed.", { exact: true }).waitFor();
  });

  test("is not booked when the stock has changed since it was shown, and at the second try it is", async () => {
    const page = await open("Count");
    await scan(page, "2");
    await page.getByRole("textbox", { name: "Counted of pet 2" }).fill("5");
    await page.route(
      "**/CountInventory",
      async (route) => {
        await server.stores.inventory.change({ petId: 2n, quantity: 3 });
        await route.continue();
      },
      { times: 1 },
    );
    await press(page, "Book the count of 1 pet");
    await page.getByText(/Pet 2: the quantity is 3|Pet 2: .*3/).waitFor();
    expect(await quantityOf(2n)).toBe(3);
    await page.getByRole("dialog").getByText("Close", { exact: true }).click();
    await line(page, 2).getByText("3 → 5", { exact: true }).waitFor();
    await press(page, "Book the count of 1 pet");
    await page.getByText("1 quantity is changed.", { exact: true }).waitFor();
    expect(await quantityOf(2n)).toBe(5);
  });
});
