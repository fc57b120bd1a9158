import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { beforeEach, describe, expect, test } from "vitest";
import { PetStatus } from "../../../gen/inventory/v1/inventory_pb.ts";
import { scopes } from "../../../src/access/scopes.ts";
import { violations } from "./support/accessibility.ts";
import { account, chooseFile, dialog, press, shows, useConsole } from "./support/console.ts";

const header = "petId,quantity,status\n";

/** Lines of a CSV file. The pets have ids from 101. */
const lines = (count: number) =>
  Array.from({ length: count }, (_, n) => `${n + 101},${n % 90},available\n`).join("");

const pets = [
  { petId: 1n, quantity: 12, status: PetStatus.AVAILABLE },
  { petId: 2n, quantity: 0, status: PetStatus.SOLD },
  { petId: 9_007_199_254_740_993n, quantity: 3, status: PetStatus.AVAILABLE },
];
const { server, browser, own, hold } = useConsole({ pets, scopes });

/** Opens the stock view, and chooses a file to import. */
async function choose(content: string | Buffer, name = "pets.csv"): Promise<Page> {
  const page = await browser.open(server.url, { key: own.key });
  await page.getByText("Live", { exact: true }).waitFor();
  await press(page, "Import a file");
  await chooseFile(page, content, name);
  return page;
}

test("are imported after a preview, without the bad lines if the user says so", async () => {
  const page = await choose(
    `\ufeff${header}1,15,sold\r\n2,0,sold\r\n3,x,sold\r\n"9007199254740995",7,"pending"\r\n1,4,sold`,
  );
  await shows(dialog(page), /^3 good rows: 1 new pet, 1 changed, 1 as they are\./);
  await dialog(page).getByText("Line 4: quantity: must be an integer").waitFor();
  await dialog(page).getByText("Line 6: petId: 1 is already on line 2").waitFor();
  const row = dialog(page).getByRole("row").filter({ hasText: "12 → 15" });
  await row.filter({ hasText: "available → sold" }).waitFor();
  await expect
    .poll(() => page.getByRole("button", { name: "Import", exact: true }).count())
    .toBe(0);
  await page.getByLabel("Leave out 2 bad lines").check();
  await page.getByRole("button", { name: "Import", exact: true }).dblclick();
  await shows(dialog(page), /^3 of 3 rows are imported\. 1 new, 2 existing\./);
  await dialog(page).getByText("Close", { exact: true }).click();
  await page.getByRole("link", { name: "9007199254740995", exact: true }).waitFor();
  const { inventory } = server.stores;
  expect(await inventory.get(1n)).toMatchObject({ quantity: 15, status: PetStatus.SOLD });
  expect((await inventory.changes({ petId: 1n, limit: 10 }))?.changes).toHaveLength(2);
});

test("are refused when they are no files of items, and another one can be chosen", async () => {
  const page = await choose(Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 16, 10, 0x80, 10]));
  await dialog(page).getByRole("alert").getByText("petId, quantity, status").waitFor();
  await page.getByLabel("File", { exact: true }).setInputFiles({
    name: "pets.ndjson",
    mimeType: "",
    buffer: Buffer.from('{"petId":9007199254740997,"quantity":1,"status":"sold"}\n'),
  });
  await dialog(page).getByRole("cell", { name: "9007199254740997" }).waitFor();
  await expect.poll(() => dialog(page).getByRole("alert").count()).toBe(0);
});

test("are imported once while the server fails in the middle", async () => {
  const page = await choose(header + lines(1_200));
  let calls = 0;
  await page.route("**/ImportPets", async (route) => {
    calls += 1;
    if (calls === 2) return route.fulfill({ status: 503 });
    if (calls !== 3) return route.continue();
    await route.fetch();
    await route.abort();
  });
  await press(page, "Import");
  await dialog(page).getByText("This continues by itself.").waitFor();
  // The third call was applied, although its response was lost: the fourth one is not applied again.
  await shows(dialog(page), /^1,200 of 1,200 rows are imported\. 1,200 new, 0 existing\./);
  expect(calls).toBe(5);
  const changes = await server.stores.inventory.changes({ petId: 700n, limit: 10 });
  expect(changes?.changes).toHaveLength(1);
});

test("are imported up to the end of the session, and the page says how far", async () => {
  const page = await choose(header + lines(1_200));
  let calls = 0;
  await page.route("**/ImportPets", async (route) => {
    calls += 1;
    if (calls === 2) await server.stores.accounts.revokeKey(own.keyId);
    await route.continue();
  });
  await press(page, "Import");
  await page.getByText("The import has stopped. 500 of 1,200 rows are imported.").waitFor();
  await page.getByLabel("API key").waitFor();
  expect(calls).toBe(2);
});

test("stop and continue, and hold the page only while they run", async () => {
  const page = await choose(header + lines(1_200));
  const isHeld = () =>
    page.evaluate<boolean>('!dispatchEvent(new Event("beforeunload", { cancelable: true }))');
  expect(await isHeld()).toBe(false);
  const stopping = Promise.withResolvers<void>();
  await page.route("**/ImportPets", async (route) => {
    await stopping.promise;
    await route.continue();
  });
  await press(page, "Import");
  expect(await isHeld()).toBe(true);
  await press(page, "Stop");
  stopping.resolve();
  await shows(dialog(page), /^500 of 1,200 rows are imported\./);
  expect(await isHeld()).toBe(false);
  await press(page, "Continue");
  await shows(dialog(page), /^1,200 of 1,200 rows are imported\./);
  expect(await isHeld()).toBe(false);
});

test("are imported with other names of columns, once the user has chosen them", async () => {
  const page = await choose("Article ID,Title,Qty\n1,Rex,15\n7,Bella,x\n8,Otto,4\n");
  const columns = page.getByRole("region", { name: "Columns of the file" });
  await columns.waitFor();
  await expect
    .poll(() => columns.getByLabel("petId").locator("option:checked").textContent())
    .toBe("Article ID");
  await expect
    .poll(() => columns.getByLabel("quantity").locator("option:checked").textContent())
    .toBe("Qty");
  expect(await violations(page)).toEqual([]);
  await columns.getByLabel("quantity").selectOption("Article ID");
  await columns.getByText("Each column of the file can be used once.").waitFor();
  await columns.getByLabel("quantity").selectOption("Qty");
  await press(page, "Use these columns");
  await shows(dialog(page), /^2 good rows: 1 new pet, 1 changed, 0 as they are\./);
  await dialog(page)
    .getByText("Line 3: quantity: must be an integer")
    .filter({ hasText: 'not "x"' })
    .waitFor();
  await page.getByLabel("Leave out 1 bad line").check();
  await press(page, "Import");
  await shows(dialog(page), /^2 of 2 rows are imported\. 1 new, 1 existing\./);
  expect(await server.stores.inventory.get(8n)).toMatchObject({
    quantity: 4,
    status: PetStatus.AVAILABLE,
  });
});

test("are taken from a drop, and an import of them is undone, but for pets that have changed since", async () => {
  const page = await browser.open(server.url, { key: own.key });
  await page.getByText("Live", { exact: true }).waitFor();
  await press(page, "Import a file");
  await dialog(page).getByText("Or drop a file here.").waitFor();
  await page.evaluate(`(() => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([${JSON.stringify(`${header}1,15,sold\n2,9,sold\n50,1,sold\n51,1,sold\n`)}], "pets.csv"));
    document.querySelector(".drop-zone").dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true }));
  })()`);
  await press(page, "Import");
  await shows(dialog(page), /^4 of 4 rows are imported\. 2 new, 2 existing\./);
  const { inventory } = server.stores;
  await inventory.change({ petId: 2n, quantity: 8 });
  await inventory.change({ petId: 51n, quantity: 3 });
  await page.getByRole("row").filter({ hasText: "51" }).filter({ hasText: "3" }).waitFor();
  await press(page, "Undo the import");
  await dialog(page)
    .getByText("2 pets are as before. 2 pets are left, because of later changes.", { exact: true })
    .waitFor();
  expect(await inventory.get(1n)).toMatchObject({ quantity: 12, status: PetStatus.AVAILABLE });
  expect(await inventory.get(2n)).toMatchObject({ quantity: 8 });
  expect(await inventory.get(50n)).toBeUndefined();
  expect(await inventory.get(51n)).toMatchObject({ quantity: 3 });
});

describe("with a row that the service refuses", () => {
  /** 701 rows. Line 602 has a quantity that is too large together with the held units. */
  const file = (quantity: number) =>
    `${header}${lines(600)}1,${quantity},available\n${lines(700).split("\n").slice(600).join("\n")}`;
  const refused = /^Line 602: quantity: pet 1 has 5 held units/;
  const count = async (petId: bigint) =>
    (await server.stores.inventory.changes({ petId, limit: 10 }))?.changes.length;

  beforeEach(async () => {
    server.clock.now = Date.now();
    await hold(1n, 5);
  });

  async function stopped(): Promise<Page> {
    const page = await choose(file(2_147_483_647));
    await press(page, "Import");
    await press(page, "Import anyway");
    await dialog(page).getByText(refused).waitFor();
    await shows(dialog(page), /^500 of 701 rows are imported\./);
    await expect.poll(() => dialog(page).getByRole("alert").count()).toBe(1);
    return page;
  }

  test("name it, and go on when the cause is gone", async () => {
    const page = await stopped();
    await press(page, "Continue");
    await dialog(page).getByText(refused).waitFor();
    await server.stores.holds.release(account, "cart-7");
    await press(page, "Continue");
    await shows(dialog(page), /^701 of 701 rows are imported\. 700 new, 1 existing\./);
    await expect.poll(() => dialog(page).getByText(refused).count()).toBe(0);
    expect(await server.stores.inventory.get(1n)).toMatchObject({ quantity: 2_147_483_647 });
    expect(await count(101n)).toBe(1);
  });

  test("leave it out if the user says so, and name it at the end", async () => {
    const page = await stopped();
    await page.getByLabel("Leave out all rows that the service refuses").check();
    await press(page, "Continue");
    await shows(dialog(page), /^700 of 701 rows are imported\. 700 new, 0 existing\./);
    await dialog(page).getByText("1 row is left out:", { exact: true }).waitFor();
    await dialog(page).getByText(refused).waitFor();
    expect(await server.stores.inventory.get(1n)).toMatchObject({ quantity: 7 });
    expect(await count(101n)).toBe(1);
    expect(await count(800n)).toBe(1);
  });

  test("go on with the corrected file, and import no row twice", async () => {
    const page = await stopped();
    // Sold in the meantime: the corrected file must not undo it.
    await server.stores.inventory.change({ petId: 141n, quantity: 39 });
    await press(page, "Choose another file");
    await shows(dialog(page), /^500 rows are imported\. They are left out\./);
    await chooseFile(page, file(9), "corrected.csv");
    await shows(dialog(page), /^201 good rows: 200 new pets, 1 changed/);
    await shows(dialog(page), /\b500 other rows are imported\./);
    await press(page, "Import");
    await shows(dialog(page), /^201 of 201 rows are imported\. 200 new, 1 existing\./);
    expect(await server.stores.inventory.get(1n)).toMatchObject({ quantity: 9 });
    expect(await server.stores.inventory.get(141n)).toMatchObject({ quantity: 39 });
    expect(await count(101n)).toBe(1);
  });
});

test.each(["csv", "ndjson"])(
  "have the list as shown, as %s, and can be imported",
  async (format) => {
    const page = await browser.open(server.url, { key: own.key });
    await page.getByText("3 pets", { exact: true }).waitFor();
    await page.getByLabel("Quantity at most").fill("3");
    await page.getByText("2 of 3 pets", { exact: true }).waitFor();
    await press(page, "Export");
    const downloading = page.waitForEvent("download");
    await press(page, `Save as ${format.toUpperCase()}`);
    const download = await downloading;
    expect(download.suggestedFilename()).toMatch(
      new RegExp(`^stock-\\d{4}-\\d\\d-\\d\\d\\.${format}$`),
    );
    const content = await readFile(await download.path(), "utf8");
    expect(content).toBe(
      format === "csv"
        ? "petId,name,sku,quantity,status\n2,,,0,sold\n9007199254740993,,,3,available\n"
        : '{"petId":2,"quantity":0,"status":"sold"}\n{"petId":9007199254740993,"quantity":3,"status":"available"}\n',
    );
    const other = await choose(content, download.suggestedFilename());
    await shows(dialog(other), /^2 good rows: 0 new pets, 0 changed, 2 as they are\./);
  },
);
