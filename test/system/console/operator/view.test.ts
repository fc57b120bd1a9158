import { expect, test } from "vitest";
import { PetStatus } from "../../../../gen/inventory/v1/inventory_pb.ts";
import { dayMs } from "../../../../src/common/durations.ts";
import { placed } from "../../../support/stock.ts";
import { violations } from "../support/accessibility.ts";
import { screens } from "../support/browser.ts";
import { press } from "../support/console.ts";
import { shop, useOperatorView } from "./support.ts";

const largestId = 9_223_372_036_854_775_807n;

/** Evaluates to the texts of tables that are broken into lines: ids, times and names must not be. */
const brokenTexts = `(() => {
  const broken = [];
  const texts = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
  for (let text; (text = texts.nextNode()); ) {
    const range = document.createRange();
    range.selectNodeContents(text);
    const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
    if (text.parentElement.closest("tbody") && lines.size > 1) broken.push(text.data);
  }
  return broken;
})()`;

const view = useOperatorView();

test("is not in the menu of a key without the scope admin", async () => {
  const page = await view.open("accounts", { key: view.shopSecret() });
  await page.getByText("To see this view, a key needs the scope admin").waitFor();
  await expect.poll(() => page.getByRole("link", { name: "Operator" }).count()).toBe(0);
});

test.each([
  ["Escape", ["Escape"]],
  ["its Close button", ["Shift+Tab", "Enter"]],
])("is usable by keyboard only: when %s closes a dialog, the focus returns", async (_, keys) => {
  const page = await view.open(`accounts/${shop}`);
  await page.getByRole("button", { name: "Rename" }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").getByRole("textbox").waitFor();
  await expect.poll(() => page.evaluate("document.activeElement.tagName")).toBe("INPUT");
  for (const key of keys) await page.keyboard.press(key);
  await page.getByRole("dialog").waitFor({ state: "detached" });
  // The focus returns after the dialog is removed.
  await expect.poll(() => page.evaluate("document.activeElement.textContent")).toBe("Rename");
});

test("shows all of a long name with the focus", async () => {
  await view.server.stores.accounts.update(shop, { name: "W".repeat(200) });
  const page = await view.open("accounts", { viewport: screens.phone });
  const name = page.getByRole("link", { name: "W".repeat(200) });
  const widthOf = async () => (await name.boundingBox())?.width ?? 0;
  expect(await widthOf()).toBeLessThan(300);
  await page.getByRole("region", { name: "Accounts" }).focus();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  expect(await widthOf()).toBeGreaterThan(1_000);
});

test.each([
  ["desktop", "light"],
  ["phone", "dark"],
] as const)("is accessible on a %s in %s colors", async (screen, colorScheme) => {
  const viewport = screens[screen];
  const { accounts, holds, catalog, orders } = view.server.stores;
  await accounts.update(shop, { name: "W".repeat(200) });
  await catalog.put([{ petId: largestId, quantity: 10, status: PetStatus.AVAILABLE }]);
  await placed(orders, shop, largestId, 2);
  await holds.put(shop, "h".repeat(64), {
    items: [{ petId: largestId, quantity: 1 }],
    ttlMs: dayMs,
  });
  await view.banShop();
  const page = await view.open("accounts", { viewport, colorScheme });
  const sections = [
    "accounts",
    `accounts/${shop}`,
    "keys",
    "bans",
    "orders",
    "holds",
    "limited",
    "top",
    "audit",
  ];
  for (const section of sections) {
    await page.evaluate(`location.hash = "#/operator/${section}"`);
    await page.locator("main h2").first().waitFor();
    await page.locator("main").getByText("Loading…").waitFor({ state: "detached" });
    expect(await violations(page), section).toEqual([]);
    expect(await page.evaluate(brokenTexts), section).toEqual([]);
    const overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
    expect(await page.evaluate(overflow), section).toBe(0);
  }
  await page.evaluate(`location.hash = "#/operator/accounts/${shop}"`);
  await press(page, "New key");
  await page.getByRole("dialog").waitFor();
  expect(await violations(page), "a dialog").toEqual([]);
});
