import type { Page } from "playwright-core";
import { beforeEach, describe, expect, test } from "vitest";
import { ChangeReason, PetStatus } from "../../../gen/inventory/v1/inventory_pb.ts";
import { scopes } from "../../../src/access/scopes.ts";
import { addKey } from "../../support/accounts.ts";
import { itemsFrom } from "../../support/stock.ts";
import { violations } from "./support/accessibility.ts";
import { screens } from "./support/browser.ts";
import { account, chooseFile, dialog, press, row, shows, useConsole } from "./support/console.ts";

const rex = "Labrador puppy Rex";
const pets = [
  { petId: 1n, name: "Guinea pig", sku: "SM-101", quantity: 12, status: PetStatus.AVAILABLE },
  { petId: 2n, quantity: 4, status: PetStatus.AVAILABLE },
  { petId: 3n, name: rex, sku: "DO-301", quantity: 5, status: PetStatus.AVAILABLE },
  // Its SKU is the id of another pet.
  { petId: 4n, sku: "1", quantity: 7, status: PetStatus.AVAILABLE },
  ...itemsFrom(100n, 30, 5).map((item) => ({
    ...item,
    name: `Goldfish ${item.petId}`,
    sku: `FI-${item.petId}`,
  })),
];
const { server, open, quantityOf, hold } = useConsole({ pets, plan: "business", scopes });

beforeEach(() => {
  server.clock.now = Date.now();
});

const link = (page: Page, name: string) => page.getByRole("link", { name, exact: true });
const heading = (page: Page, name: string) =>
  page.getByRole("heading", { name, exact: true, level: 1 });
const namesOf = async (petId: bigint) => {
  const { entries } = await server.stores.catalog.find({ petIds: [petId] });
  return entries.map(({ name, sku }) => [name, sku])[0];
};
const scan = async (page: Page, code: string) => {
  await page.getByLabel("Scan or find a pet").fill(code);
  await page.keyboard.press("Enter");
};

describe("the list", () => {
  test("has name and SKU first, then the id", async () => {
    const page = await open();
    await link(page, rex).waitFor();
    const cells = () => page.locator(".row-pet").allInnerTexts();
    expect((await cells()).slice(0, 4)).toEqual([
      "Guinea pig\nSM-101 · pet 1",
      "2",
      `${rex}\nDO-301 · pet 3`,
      "1\npet 4",
    ]);
  });

  test("finds a part of a name, and Enter opens the pet", async () => {
    const page = await open();
    await link(page, rex).waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("rex");
    await page.getByText("1 of 34 pets", { exact: true }).waitFor();
    await page.keyboard.press("Enter");
    await heading(page, rex).waitFor();
    await page.getByText("DO-301 · pet 3").waitFor();
    await expect.poll(() => page.title()).toBe(`${rex} · Stock · Inventory`);
  });

  test.each([
    ["SM-101", "Guinea pig"],
    ["1", "1"],
    ["2", "Pet 2"],
  ])(
    "opens the pet of the scanned code %s, whatever is filtered and sorted",
    async (code, title) => {
      const page = await open("#/stock?max=5&sort=-quantity");
      await link(page, rex).waitFor();
      await page.keyboard.press("/");
      await page.keyboard.type(code);
      await page.keyboard.press("Enter");
      await heading(page, title).waitFor();
    },
  );

  test("shows the name of a pet that somebody adds, and a new name from the next poll on", async () => {
    const page = await open();
    await link(page, rex).waitFor();
    const status = PetStatus.AVAILABLE;
    await server.stores.catalog.create({
      petId: 50n,
      name: "Bella",
      sku: "CA-50",
      quantity: 1,
      status,
    });
    await link(page, "Bella").waitFor();
    await page.clock.install();
    await page.reload();
    await link(page, "Bella").waitFor();
    await server.stores.catalog.update(50n, { name: "Otto" });
    await page.clock.fastForward("30:00");
    await link(page, "Otto").waitFor();
  });

  test("reads the names once while nothing changes", async () => {
    const page = await open();
    await link(page, rex).waitFor();
    const calls: string[] = [];
    page.on("response", async (response) => {
      if (response.url().endsWith("/ListPets")) calls.push(String((await response.body()).length));
    });
    for (const view of ["Activity", "Orders", "Stock"]) await link(page, view).click();
    await link(page, rex).waitFor();
    expect(calls).toEqual([]);
  });
});

describe("a pet", () => {
  test("is added with its name and SKU; the pet that has the SKU is named, with a link", async () => {
    const page = await open();
    await press(page, "Add a pet");
    await page.getByLabel("Pet", { exact: true }).fill("60");
    await page.getByLabel("Name").fill("Otto");
    await page.getByLabel("SKU").fill("DO-301");
    await press(page, "Add");
    await dialog(page).getByText("SKU_TAKEN").waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByLabel("SKU").fill("DO-302");
    await press(page, "Add");
    await page.getByText("Otto (pet 60) is in the stock now.").waitFor();
    await link(page, "Otto").waitFor();
    expect(await namesOf(60n)).toEqual(["Otto", "DO-302"]);
    await press(page, "Add a pet");
    await page.getByLabel("Pet", { exact: true }).fill("61");
    await page.getByLabel("SKU").fill("DO-302");
    await press(page, "Add");
    await dialog(page).getByRole("link", { name: "Otto" }).click();
    await heading(page, "Otto").waitFor();
    await expect.poll(() => page.getByRole("dialog").count()).toBe(0);
  });

  test("gets another name and SKU, and its old ones by Undo, unless somebody has edited it since", async () => {
    const page = await open("#/stock/3");
    const edit = async (name: string, sku: string) => {
      await press(page, "Edit name and SKU");
      await page.getByLabel("Name").fill(name);
      await page.getByLabel("SKU").fill(sku);
      await press(page, "Save");
    };
    await heading(page, rex).waitFor();
    await edit("Max", "DO-301");
    await heading(page, "Max").waitFor();
    expect(await namesOf(3n)).toEqual(["Max", "DO-301"]);
    await press(page, "Undo");
    await page.getByText(`Undone. ${rex} (pet 3) has the name and SKU of before.`).waitFor();
    expect(await namesOf(3n)).toEqual([rex, "DO-301"]);
    await edit("", "");
    await heading(page, "Pet 3").waitFor();
    await server.stores.catalog.update(3n, { name: "Bello" });
    await press(page, "Undo");
    await page.getByText("Not undone, because a pet was changed again in the meantime.").waitFor();
    expect(await namesOf(3n)).toEqual(["Bello", ""]);
    await edit("x", "SM-101");
    await dialog(page).getByRole("link", { name: "Guinea pig" }).click();
    await heading(page, "Guinea pig").waitFor();
    await press(page, "Edit name and SKU");
    await page.getByLabel("SKU").fill("Ü");
    await press(page, "Save");
    await page.getByText("SKU must have only printable ASCII characters").waitFor();
    expect(await violations(page)).toEqual([]);
  });

  test("is not edited by a key without the scope, which the page names", async () => {
    const { secret } = await addKey(server.stores, account);
    const page = await open("#/stock/3", { key: secret });
    await heading(page, rex).waitFor();
    await page
      .locator(".scope-hint")
      .filter({ hasText: /edit.*scope catalog:write/ })
      .waitFor();
    await expect
      .poll(() => page.getByRole("button", { name: "Edit name and SKU" }).count())
      .toBe(0);
  });
});

describe("the day in a shop", () => {
  test("one is sold, held and cancelled by its name", async () => {
    const page = await open("#/stock/3");
    await press(page, "Order");
    await dialog(page).getByText(`Place an order of ${rex} (pet 3)`).waitFor();
    await press(page, "Place the order");
    await page.getByText(`: 1 of ${rex} (pet 3).`).waitFor();
    expect(await quantityOf(3n)).toBe(4);
    await server.stores.holds.put(account, "cart-7", {
      items: [
        { petId: 3n, quantity: 2 },
        { petId: 2n, quantity: 1 },
      ],
      ttlMs: 600_000,
    });
    await link(page, "Orders").click();
    await row(page, "placed").getByRole("link", { name: rex }).waitFor();
    await press(page, /^Cancel order/);
    await dialog(page).getByText(`This puts 1 unit of ${rex} (pet 3) back into stock.`).waitFor();
    await press(page, "Keep");
    await link(page, "Holds").click();
    await row(page, "cart-7").getByText(`2 of ${rex}`, { exact: true }).waitFor();
    await row(page, "cart-7").getByText("1 of pet 2", { exact: true }).waitFor();
    await press(page, "Place a hold");
    await page.getByLabel("Hold", { exact: true }).fill("cart-8");
    await dialog(page).getByLabel("Pet", { exact: true }).fill("rex");
    await press(page, "Place the hold");
    await page.getByText("Pet must be the SKU or id of a pet.").waitFor();
    await dialog(page).getByLabel("Pet", { exact: true }).fill("SM-101");
    await press(page, "Place the hold");
    await row(page, "cart-8").getByText("1 of Guinea pig", { exact: true }).waitFor();
    for (const list of ["orders", "holds"]) {
      await page.goto(`${server.url}/#/operator/${list}`);
      await page.getByRole("table").getByRole("link", { name: rex }).waitFor();
    }
  });

  const delivery = Array.from({ length: 30 }, (_, n) => `FI-${n + 100},2\n`).join("");

  test.each(["desktop", "phone"] as const)(
    "a delivery is booked in from a file of SKUs, by scan and by search: %s",
    async (screen) => {
      const page = await open("#/stock/receive", { viewport: screens[screen] });
      await page.getByText("Live", { exact: true }).waitFor();
      await chooseFile(page, `sku,delta\n${delivery}`);
      await page.getByRole("button", { name: "Book in 30 pets" }).waitFor();
      await scan(page, "DO-301");
      await scan(page, "DO-301");
      await page.getByText(`Added a unit of ${rex} (pet 3).`).waitFor();
      await scan(page, "1");
      await scan(page, "guinea");
      await scan(page, "gold");
      await page.getByText("Choose one of these pets.").waitFor();
      expect(await violations(page)).toEqual([]);
      await press(page, "Add Goldfish 101 · FI-101 · pet 101");
      await scan(page, "4006381333931");
      await page.getByText("No pet has the name, SKU or id 4006381333931.").waitFor();
      const units = (name: string) =>
        page.getByRole("textbox", { name: `Units of ${name}`, exact: true }).inputValue();
      expect(await units(`${rex} (pet 3)`)).toBe("2");
      expect(await units("1 (pet 4)")).toBe("1");
      expect(await units("Guinea pig (pet 1)")).toBe("1");
      expect(await units("Goldfish 101 (pet 101)")).toBe("3");
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(
        screens[screen].width,
      );
      await press(page, "Book in 33 pets");
      await page.getByText("33 quantities are changed.", { exact: true }).waitFor();
      expect(await Promise.all([1n, 3n, 4n, 101n, 129n].map(quantityOf))).toEqual([13, 7, 8, 8, 7]);
    },
  );

  test("a file has SKUs or ids, and each column is taken at its word", async () => {
    const page = await open("#/stock/receive");
    await page.getByText("Live", { exact: true }).waitFor();
    await chooseFile(page, "sku,petId,units\n1,,2\n,1,2\nX-9,,2\n2,,2\nDO-301,1,2\n");
    const alert = page.getByRole("alert");
    await alert.getByText('Line 4: no pet has the SKU "X-9".').waitFor();
    await alert.getByText('Line 5: no pet has the SKU "2".').waitFor();
    await shows(alert, `Line 6: the SKU "DO-301" is that of ${rex} (pet 3), not of pet 1.`);
    await press(page, "Book in 2 pets");
    await page.getByText("2 quantities are changed.", { exact: true }).waitFor();
    expect(await Promise.all([1n, 2n, 3n, 4n].map(quantityOf))).toEqual([14, 4, 5, 9]);
  });

  test("a shelf is counted during a hold, and the activity says who did it", async () => {
    await hold(3n, 2);
    const page = await open("#/stock/count");
    await page.getByText("Live", { exact: true }).waitFor();
    for (const _scan of [1, 2, 3]) await scan(page, "DO-301");
    await page
      .getByRole("row")
      .filter({ hasText: rex })
      .getByText("3 → 1", { exact: true })
      .waitFor();
    await press(page, "Book the count of 1 pet");
    await page.getByText("1 quantity is changed.", { exact: true }).waitFor();
    expect(await quantityOf(3n)).toBe(1);
    await server.stores.inventory.change({ petId: 1n, quantity: 20 });
    await page.goto(`${server.url}/#/activity`);
    await page.getByLabel("Pet").fill("rex");
    await page.keyboard.press("Enter");
    const rows = page.locator("tbody tr");
    await expect.poll(() => rows.count()).toBe(3);
    const counted = row(page, "count");
    await counted.getByRole("link", { name: rex }).waitFor();
    await counted.getByText("(this key)").waitFor();
    await page.getByLabel("Pet").fill("SM-101");
    await page.keyboard.press("Enter");
    await expect.poll(() => rows.count()).toBe(2);
    await page.reload();
    await row(page, "+8").getByRole("link", { name: "Guinea pig" }).waitFor();
    const { changes } = (await server.stores.inventory.changes({ petId: 3n, limit: 1 })) ?? {};
    expect(changes?.[0]?.reason).toBe(ChangeReason.COUNT);
  });
});

test("an import sets names and SKUs, names what is wrong with them, and its undo restores them", async () => {
  const page = await open();
  await link(page, rex).waitFor();
  await press(page, "Import a file");
  // Two pets exchange their SKUs, and a new one gets that of another.
  await chooseFile(
    page,
    'Article,Title,EAN,Qty\n1,,DO-301,12\n3,"Rex, sold",SM-101,5\n4,,FI-9,7\n60,Otto,1,1\n61, x,,1\n62,,1,1\n',
  );
  await press(page, "Use these columns");
  await shows(dialog(page), /^4 good rows: 1 new pet, 3 changed, 0 as they are\./);
  await shows(dialog(page), /^Line 6: name: .*not " x"$/);
  await dialog(page).getByText('Line 7: sku: "1" is already on line 5').waitFor();
  await dialog(page).getByText(`${rex} → Rex, sold`).waitFor();
  await dialog(page).getByText("SM-101 → DO-301").waitFor();
  expect(await violations(page)).toEqual([]);
  await page.getByLabel("Leave out 2 bad lines").check();
  await press(page, "Import");
  await shows(dialog(page), /^4 of 4 rows are imported\. 1 new, 3 existing\./);
  expect(await Promise.all([1n, 3n, 4n, 60n].map(namesOf))).toEqual([
    ["Guinea pig", "DO-301"],
    ["Rex, sold", "SM-101"],
    ["", "FI-9"],
    ["Otto", "1"],
  ]);
  await page.getByText("35 pets", { exact: true }).waitFor();
  await press(page, "Undo the import");
  await dialog(page).getByText("4 pets are as before.", { exact: true }).waitFor();
  expect(await Promise.all([1n, 3n, 4n, 60n].map(namesOf))).toEqual([
    ["Guinea pig", "SM-101"],
    [rex, "DO-301"],
    ["", "1"],
    undefined,
  ]);
  await dialog(page).getByText("Close", { exact: true }).click();
  await link(page, rex).waitFor();
});

test("an import names the pet that has a SKU", async () => {
  const page = await open();
  await link(page, rex).waitFor();
  await press(page, "Import a file");
  await chooseFile(page, "petId,sku,quantity,status\n1,,12,available\n2,FI-101,4,available\n");
  await press(page, "Import");
  await dialog(page).getByText('Line 3: sku: pet 101 has the SKU "FI-101"').waitFor();
  await page.getByLabel("Leave out all rows that the service refuses").check();
  await press(page, "Continue");
  await shows(dialog(page), /^1 of 2 rows are imported\./);
  expect(await namesOf(2n)).toEqual(["", ""]);
});

test.each([
  ["light", 320],
  ["dark", 390],
  ["light", 700],
  ["dark", 1440],
] as const)("long names violate nothing: %s, %i px wide", async (colorScheme, width) => {
  const { stores } = server;
  const name = "W".repeat(200);
  await stores.catalog.update(3n, { name, sku: "W".repeat(64) });
  await hold(3n, 2);
  const page = await open("#/stock", { colorScheme, viewport: { width, height: 800 } });
  const none = async (what: string) => {
    expect(await violations(page), what).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth"), what).toBe(width);
  };
  await link(page, name).waitFor();
  await none("the list");
  await page.getByRole("checkbox", { name: `Select ${name} (pet 3)`, exact: true }).click();
  await press(page, "Change quantities");
  await none("a selection");
  await page.keyboard.press("Escape");
  await page.goto(`${server.url}/#/stock/3`);
  await page.getByText("units held").waitFor();
  await none("the pet");
  await press(page, "Edit name and SKU");
  await none("its names");
  await page.keyboard.press("Escape");
  await press(page, "Order");
  await none("its order");
  await page.keyboard.press("Escape");
  await page.goto(`${server.url}/#/stock/receive`);
  await page.getByLabel("Scan or find a pet").fill("WW");
  await page.getByRole("button", { name: /^Add W/ }).waitFor();
  await none("a search");
  await page.keyboard.press("Enter");
  await page.getByRole("textbox", { name: `Units of ${name} (pet 3)` }).waitFor();
  await none("a delivery");
  await page.goto(`${server.url}/#/orders/holds`);
  await row(page, "cart-7").getByRole("link", { name }).waitFor();
  await none("the holds");
  await page.goto(`${server.url}/#/activity`);
  await row(page, "hold").getByRole("link", { name }).first().waitFor();
  await none("the activity");
});
