import { beforeEach, expect, test } from "vitest";
import { addKey } from "../../support/accounts.ts";
import { someTime } from "../../support/stores.ts";
import { violations } from "./support/accessibility.ts";
import { screens } from "./support/browser.ts";
import { account, useConsole } from "./support/console.ts";

const minuteMs = 60_000;

const { server, own, open: openView } = useConsole({ plan: "free" });

beforeEach(async () => {
  const old = await addKey(server.stores, account, { name: "old till" });
  await server.stores.accounts.revokeKey(old.keyId);
  const minute = Math.floor(someTime / minuteMs);
  const { keyId } = own;
  const counts = [
    { accountId: account, keyId, minute, admitted: 20, limited: 4, banned: 3 },
    { accountId: account, keyId, minute: minute - 1_440, admitted: 500, limited: 0, banned: 0 },
  ];
  await server.stores.usage.add({ counts, bans: [] });
});

const open = (options = {}) => openView("#/usage", options);

test("shows what is left of both limits, and when all of it is left again", async () => {
  const page = await open();
  const minute = page.locator(".gauge").filter({ hasText: "Requests per minute" });
  await minute.getByText(/^All left again in .*, if no more requests come\.$/).waitFor();
  const left = Number(await minute.locator("meter").getAttribute("value"));
  expect(left).toBeLessThan(60);
  await minute.getByText(`${left} of 60 left`).first().waitFor();
  await expect
    .poll(() => minute.getByRole("meter", { name: "Requests per minute, left" }).count())
    .toBe(1);
  // The bar shows what the text says.
  const width = await minute.locator("svg rect").getAttribute("width");
  expect(width).toBe(`${((100 * left) / 60).toFixed(1)}%`);
  await page
    .locator(".gauge")
    .filter({ hasText: "Requests per day" })
    .getByText(`${940 + left} of 1,000 left`)
    .first()
    .waitFor();
});

test("shows the requests of the last 30 days by outcome, as a plot and as a table", async () => {
  const page = await open();
  const days = page.locator(".outcome-plot").filter({ hasText: "Last 30 days" });
  await days.locator("canvas").waitFor();
  await days.getByText("Show as a table").click();
  const yesterday = days.getByRole("row").filter({ hasText: "14 Jul" });
  await yesterday.waitFor();
  await expect
    .poll(() => yesterday.getByRole("cell").allTextContents())
    .toEqual(["14 Jul", "500", "0", "0"]);
  const today = days.getByRole("row").filter({ hasText: "15 Jul" });
  const [, , limited, banned] = await today.getByRole("cell").allTextContents();
  expect([limited, banned]).toEqual(["4", "3"]);
});

test("shows the last use and the state of each key", async () => {
  const page = await open();
  const row = (name: string) => page.getByRole("row").filter({ hasText: name });
  await row("this key").getByText("just now").waitFor();
  await row("old till").getByText("revoked").waitFor();
  await row("old till").getByText("never").waitFor();
});

test.each([
  ["desktop", "light"],
  ["desktop", "dark"],
  ["phone", "light"],
  ["phone", "dark"],
] as const)("is accessible on a %s in %s colors", async (screen, colorScheme) => {
  const viewport = screens[screen];
  const page = await open({ viewport, colorScheme });
  await page.locator(".outcome-plot canvas").nth(1).waitFor();
  expect(await violations(page)).toEqual([]);
  const overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
  expect(await page.evaluate(overflow)).toBe(0);
});

test("draws its plots again in the colors of a new theme", async () => {
  const page = await open();
  await page.locator(".outcome-plot canvas").first().waitFor();
  // The colors of the texts that are drawn from now on.
  await page.evaluate(`
    colors = [];
    const { fillText } = CanvasRenderingContext2D.prototype;
    CanvasRenderingContext2D.prototype.fillText = function (...text) {
      colors.push(this.fillStyle);
      return fillText.apply(this, text);
    };
  `);
  const colorsIn = async (name: string) => {
    await page.evaluate("colors.length = 0");
    await page.getByRole("button", { name: /^Theme:/ }).click();
    await page.getByRole("button", { name }).waitFor();
    await page.waitForFunction("colors.length > 0");
    return page.evaluate<string[]>("[...new Set(colors)]");
  };
  const light = await colorsIn("Theme: light");
  const dark = await colorsIn("Theme: dark");
  expect(light).toHaveLength(1);
  expect(dark).toHaveLength(1);
  expect(dark).not.toEqual(light);
});
