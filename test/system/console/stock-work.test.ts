import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { PetStatus } from "../../../gen/inventory/v1/inventory_pb.ts";
import { itemsFrom } from "../../support/stock.ts";
import { violations } from "./support/accessibility.ts";
import { screens } from "./support/browser.ts";
import { press, useConsole } from "./support/console.ts";

const pets = [
  { petId: 1n, quantity: 12, status: PetStatus.AVAILABLE },
  { petId: 2n, quantity: 0, status: PetStatus.AVAILABLE },
  { petId: 31n, quantity: 5, status: PetStatus.AVAILABLE },
];
const { server, open: openView, quantityOf } = useConsole({ pets });

async function open(viewport: (typeof screens)[keyof typeof screens] = screens.desktop) {
  const page = await openView("#/stock", { viewport });
  await page.getByText("Live", { exact: true }).waitFor();
  return page;
}

const row = (page: Page, petId: number) =>
  page.getByRole("row").filter({ has: page.getByRole("link", { name: `${petId}`, exact: true }) });

const badge = (page: Page, petId: number, text: string) =>
  row(page, petId).getByText(text, { exact: true });

/** Whether an element has the colors of success. */
const isGreen = async (page: Page, petId: number) =>
  (await badge(page, petId, "available").getAttribute("class"))?.includes("success");

const focused = (page: Page) =>
  page.evaluate<string>("document.activeElement.ariaLabel ?? document.activeElement.textContent");

test("marks pets that are out of stock or low, and finds them by presets", async () => {
  const page = await open();
  await badge(page, 2, "out of stock").waitFor();
  await badge(page, 31, "low").waitFor();
  expect(await isGreen(page, 1)).toBe(true);
  expect(await isGreen(page, 2)).toBe(false);
  await server.stores.inventory.change({ petId: 1n, quantity: 0 });
  await badge(page, 1, "out of stock").waitFor();
  await press(page, "Low");
  await page.getByText("1 of 3 pets", { exact: true }).waitFor();
  await row(page, 31).waitFor();
  await press(page, "Out of stock");
  await page.getByText("2 of 3 pets", { exact: true }).waitFor();
  expect(new URL(page.url()).hash).toBe("#/stock?max=0");
  expect(await violations(page)).toEqual([]);
  await press(page, "Out of stock");
  await page.getByText("3 pets", { exact: true }).waitFor();
});

describe("the cell of a quantity", () => {
  const edit = (page: Page, quantity: number, petId = 1) =>
    press(page, `${quantity}: set the quantity of pet ${petId}`);
  const input = (page: Page, petId = 1) => page.getByRole("textbox", { name: `pet ${petId}` });

  test("sets it by Enter, keeps the focus, and undoes it", async () => {
    const page = await open();
    await edit(page, 12);
    await input(page).fill("15");
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press("Enter");
    await page.getByText("Pet 1 has the quantity 15 now.").waitFor();
    expect(await quantityOf(1n)).toBe(15);
    await expect.poll(() => focused(page)).toBe("15: set the quantity of pet 1");
    await press(page, "Undo");
    await page.getByText("Undone. Pet 1 has the quantity 12 now.").waitFor();
  });

  test("says so when another change comes first, and sets it at the second try", async () => {
    const page = await open();
    await edit(page, 12);
    await input(page).fill("15");
    await server.stores.inventory.change({ petId: 1n, quantity: 9 });
    await page.keyboard.press("Enter");
    await page.getByText("the quantity of pet 1 was 12 and is 9 now").waitFor();
    expect(await quantityOf(1n)).toBe(9);
    await page.keyboard.press("Enter");
    await page.getByText("Pet 1 has the quantity 15 now.").waitFor();
  });

  test("refuses what is no quantity, and asks about large changes", async () => {
    const page = await open();
    await edit(page, 12);
    await input(page).fill("1,5");
    await page.keyboard.press("Enter");
    await page.getByText("A quantity is a whole number from 0 to 2147483647.").waitFor();
    await input(page).fill("1200");
    await page.keyboard.press("Enter");
    await press(page, "Save anyway");
    await page.getByText("Pet 1 has the quantity 1,200 now.").waitFor();
  });
});

test("asks before a draft is lost", async () => {
  const page = await open();
  await press(page, "Change the quantity of pet 1");
  await page.getByLabel("New quantity").fill("7");
  const question = page.getByRole("dialog", { name: "Discard what you typed?" });
  for (const leave of [
    () => press(page, "Change the quantity of pet 2"),
    () => page.getByRole("link", { name: "My usage" }).click(),
    () => page.getByRole("link", { name: "31", exact: true }).click(),
    () => press(page, "Sign out"),
    () => page.getByLabel("New quantity").press("Escape"),
  ]) {
    await leave();
    await question.getByText("The change of pet 1 is not saved.").waitFor();
    await press(page, "Keep editing");
    await expect.poll(() => page.getByLabel("New quantity").inputValue()).toBe("7");
  }
  await page.getByRole("link", { name: "My usage" }).click();
  expect(await violations(page)).toEqual([]);
  await press(page, "Discard");
  await page.getByRole("heading", { name: "My usage" }).waitFor();
});

test.each(["desktop", "phone"] as const)(
  "does not move the list for a selection: %s",
  async (screen) => {
    const page = await open(screens[screen]);
    const top = async () =>
      (await page.getByRole("region", { name: "Pets", exact: true }).boundingBox())?.y;
    const before = await top();
    await page.getByRole("checkbox", { name: "Select pet 2", exact: true }).click();
    await page.getByText("1 pet selected", { exact: true }).waitFor();
    expect(await top()).toBe(before);
  },
);

describe("the keyboard", () => {
  test("moves between rows, opens what the search has found, and lists the keys", async () => {
    const page = await open();
    await page.keyboard.press("/");
    await page.keyboard.press("ArrowDown");
    expect(await focused(page)).toBe("1");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    expect(await focused(page)).toBe("31");
    await page.keyboard.press("Tab");
    await page.keyboard.press("ArrowUp");
    expect(await focused(page)).toBe("0: set the quantity of pet 2");
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keys" }).getByText("Find a pet").waitFor();
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await page.keyboard.press("/");
    await page.keyboard.type("31");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Pet 31" }).waitFor();
  });

  test("keeps the focus when its row is scrolled out of view, or goes away", async () => {
    await server.stores.catalog.put(itemsFrom(1_000n, 300));
    const page = await open();
    await page.getByText("303 pets", { exact: true }).waitFor();
    await page.getByRole("link", { name: "2", exact: true }).focus();
    await page.evaluate("document.querySelector('.rows').scrollTo(0, 9000)");
    await page.getByRole("link", { name: "1200", exact: true }).waitFor();
    expect(await focused(page)).toBe("2");
    await page.keyboard.press("ArrowDown");
    expect(await focused(page)).toBe("31");
    await server.stores.catalog.remove(31n);
    await expect.poll(() => focused(page)).toBe("Pets");
  });
});
