import { beforeEach, expect, test } from "vitest";
import { PetStatus } from "../../../gen/inventory/v1/inventory_pb.ts";
import { scopes } from "../../../src/access/scopes.ts";
import { addKey } from "../../support/accounts.ts";
import { placed } from "../../support/stock.ts";
import { account, useConsole } from "./support/console.ts";

const pets = [{ petId: 1n, quantity: 1_234_567, status: PetStatus.AVAILABLE }];
const { server, browser, own, open } = useConsole({ pets, scopes });

beforeEach(async () => {
  const { stores } = server;
  await placed(stores.orders, account, 1n, 4_567);
  await stores.accounts.revokeKey((await addKey(stores, account)).keyId);
});

test.each([
  ["operator/audit", undefined, ["From", "To"]],
  [`operator/accounts/${account}`, "New key", ["Last day"]],
])("name the zone of the time fields in %s", async (view, button, labels) => {
  const page = await open(`#/${view}`, { timezoneId: "Asia/Tokyo" });
  if (button) await page.getByRole("button", { name: button }).click();
  for (const label of labels) {
    const field = page.locator(".field").filter({ has: page.getByLabel(label, { exact: true }) });
    await field.waitFor();
    await expect.poll(() => field.textContent()).toContain("In your time zone, Asia/Tokyo.");
  }
});

test.each([
  ["stock/1", "Pet 1 · Stock · Inventory"],
  ["usage", "My usage · Inventory"],
  ["operator/accounts", "Accounts · Operator · Inventory"],
  [`operator/accounts/${account}`, `${account} · Accounts · Operator · Inventory`],
  ["operator/orders", "Orders · Operator · Inventory"],
  ["operator/keys", "Keys · Operator · Inventory"],
])("show times in %s in the zone of the reader, and in UTC on hover", async (view, title) => {
  const page = await open(`#/${view}`, { timezoneId: "Asia/Kathmandu" });
  const time = page.locator("time:visible").filter({ hasText: "GMT+5:45" }).first();
  await time.waitFor();
  const instant = (await time.getAttribute("dateTime")) ?? "";
  const utc = instant.slice(0, 19).replace("T", " ");
  await expect.poll(() => time.getAttribute("title")).toBe(`${utc} UTC`);
  const [, day, hour, minute] =
    /^(\d+) \w+ \d{4}, (\d\d):(\d\d)(?::\d\d)? GMT/.exec((await time.textContent()) ?? "") ?? [];
  const local = new Date(Date.parse(instant) + (5 * 60 + 45) * 60_000);
  expect([day, hour, minute].map(Number)).toEqual([
    local.getUTCDate(),
    local.getUTCHours(),
    local.getUTCMinutes(),
  ]);
  await expect.poll(() => page.title()).toBe(title);
});

test.each([7, 2_147_483_647])("show no cut label at the plot of %i", async (quantity) => {
  await server.stores.inventory.change({ petId: 1n, quantity });
  const page = await open("#/stock/1");
  await page.addInitScript(`
    globalThis.drawn = [];
    const { fillText } = CanvasRenderingContext2D.prototype;
    CanvasRenderingContext2D.prototype.fillText = function (text, x, ...more) {
      const { width } = this.measureText(text);
      const before = { left: 0, start: 0, center: width / 2 }[this.textAlign] ?? width;
      drawn.push({ text, start: x - before, end: x - before + width, width: this.canvas.width });
      return fillText.call(this, text, x, ...more);
    };`);
  await page.reload();
  await page.locator("canvas").waitFor();
  const drawn = async () =>
    (await page.evaluate("drawn")) as {
      text: string;
      start: number;
      end: number;
      width: number;
    }[];
  await expect
    .poll(async () => (await drawn()).map(({ text }) => text))
    .toContain(quantity > 1e6 ? "2,000,000,000" : "1,000,000");
  const cut = (await drawn()).filter(({ start, end, width }) => start < 0 || end > width);
  expect(cut).toEqual([]);
});

test("give the sign-in page and unknown views a title", async () => {
  const page = await browser.open(server.url);
  await expect.poll(() => page.title()).toBe("Sign in · Inventory");
  await page.goto(`${server.url}/#/nowhere`);
  await page.getByLabel("API key").fill(own.key);
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect.poll(() => page.title()).toBe("No such view · Inventory");
});
