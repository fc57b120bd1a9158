import { expect, test } from "vitest";
import { minuteMs } from "../../../../src/common/durations.ts";
import { addAccount, addKey } from "../../../support/accounts.ts";
import { press, row } from "../support/console.ts";
import { operator, shop, useOperatorView } from "./support.ts";

const view = useOperatorView();

test("can unban a key when the clock of the computer is wrong", async () => {
  await view.banShop();
  const page = await view.open("keys");
  // The clock of the server's stores differs from that of this computer, by which the server writes its header.
  await page.route(/\/(?:admin|usage)\.v1\./, async (route) => {
    const response = await route.fetch();
    const date = new Date(view.server.clock.now).toUTCString();
    await route.fulfill({ response, headers: { ...response.headers(), date } });
  });
  await page.reload();
  await press(page, "Unban key till 1");
  await page.getByRole("dialog", { name: "Unban till 1?" }).waitFor();
});

test("lists a banned key and unbans it", async () => {
  await view.banShop();
  const page = await view.open("bans");
  await row(page, "till 1").getByText("Harbor Pets").waitFor();
  await press(page, "Unban key till 1");
  await page.getByText("No key is banned now.").waitFor();
  const [key] = (await view.server.stores.accounts.listKeys(shop)) ?? [];
  expect(key?.bannedUntil).toBeUndefined();
});

test("lists the busiest accounts", async () => {
  await view.banShop();
  const page = await view.open("top");
  await row(page, "Harbor Pets").getByText("0 of 60", { exact: true }).waitFor();
  await row(page, operator).waitFor();
});

test("lists the limited accounts: those first whose requests are refused now", async () => {
  await addAccount(view.server.stores, { plan: "pro" }, "cccccccccccc");
  const { keyId } = await addKey(view.server.stores, "cccccccccccc");
  const minute = Math.floor(view.server.clock.now / minuteMs);
  const count = { accountId: "cccccccccccc", keyId, minute, admitted: 0, limited: 500, banned: 0 };
  await view.server.stores.usage.add({ counts: [count], bans: [] });
  await view.banShop();
  const page = await view.open("limited");
  const limited = row(page, shop);
  await limited.getByText(/minute limit reached/).waitFor();
  await limited.getByText("1 banned key", { exact: true }).waitFor();
  await expect
    .poll(() => page.locator("tbody code").allTextContents())
    .toEqual([shop, "cccccccccccc"]);
});

test("shows the usage of an account", async () => {
  await view.banShop();
  const page = await view.open(`accounts/${shop}`);
  const hour = page.locator(".outcome-plot").filter({ hasText: "Last hour" });
  await hour.getByText("Admitted 60").waitFor();
  await page.locator(".gauge-none").waitFor();
});
