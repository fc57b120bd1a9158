import { expect, test } from "vitest";
import { placed } from "../../../support/stock.ts";
import { countRequests } from "../support/browser.ts";
import { press, row } from "../support/console.ts";
import { operator, shop, useOperatorView } from "./support.ts";

const view = useOperatorView();

test("creates one with its own limits, once for a double click", async () => {
  const page = await view.open("accounts");
  await press(page, "New account");
  await page.getByLabel("Name").fill("Tiny Tails");
  await page.getByLabel("Plan").selectOption("enterprise");
  await page.getByLabel("Requests per minute").fill("500");
  await page.getByLabel("Requests per day").fill("20000");
  await page.getByRole("button", { name: "Create account" }).dblclick();
  await page.getByRole("heading", { name: "Tiny Tails" }).waitFor();
  await page.getByText("enterprise: 500 per minute, 20,000 per day").waitFor();
  const { accounts } = await view.server.stores.accounts.listAccounts(undefined, 10);
  expect(accounts.map(({ name }) => name).sort()).toEqual(["Harbor Pets", "Tiny Tails", "test"]);
});

test("names wrong values before they are sent", async () => {
  const page = await view.open("accounts");
  await row(page, "Harbor Pets").waitFor();
  await press(page, "New account");
  const sent = countRequests(page);
  await press(page, "Create account");
  await page.getByText("Name is required.").waitFor();
  await page.getByLabel("Name").fill("Tiny Tails");
  await page.getByLabel("Plan").selectOption("enterprise");
  await page.getByLabel("Requests per minute").fill("0");
  await page.getByLabel("Requests per day").fill("many");
  await press(page, "Create account");
  await page.getByText("Requests per day must be a whole number.").waitFor();
  await page.getByLabel("Requests per day").fill("10");
  await press(page, "Create account");
  await page.getByText("Requests per minute must be between 1 and 1000000.").waitFor();
  expect(sent()).toBe(0);
});

test("renames one and changes its plan", async () => {
  const page = await view.open(`accounts/${shop}`);
  await press(page, "Rename");
  await page.getByRole("dialog").getByLabel("Name").fill("Harbor Pets Ltd");
  await page.getByRole("dialog").getByRole("button", { name: "Rename" }).click();
  await page.getByRole("heading", { name: "Harbor Pets Ltd" }).waitFor();
  await press(page, "Change plan");
  await page.getByLabel("Plan", { exact: true }).selectOption("pro");
  await page.getByRole("dialog").getByRole("button", { name: "Change plan" }).click();
  await page.getByText("pro: 300 per minute, 10,000 per day").waitFor();
  expect(await view.shopAccount()).toMatchObject({
    name: "Harbor Pets Ltd",
    choice: { plan: "pro" },
  });
});

test("disables and enables one", async () => {
  const page = await view.open(`accounts/${shop}`);
  await press(page, "Disable");
  await page.getByRole("dialog").getByRole("button", { name: "Disable" }).click();
  await page.getByText("disabled", { exact: true }).waitFor();
  expect((await view.shopAccount())?.disabledAt).toBeDefined();
  await press(page, "Enable");
  await page.getByRole("dialog").getByRole("button", { name: "Enable" }).click();
  await page.getByText("enabled", { exact: true }).waitFor();
  expect((await view.shopAccount())?.disabledAt).toBeUndefined();
});

test("deletes one after it said what goes and its name was typed", async () => {
  await placed(view.server.stores.orders, shop, 7n, 2);
  const page = await view.open(`accounts/${shop}`);
  await press(page, "Delete");
  const dialog = page.getByRole("dialog");
  await dialog.getByText("1 key", { exact: true }).waitFor();
  await dialog.getByText("1 order", { exact: true }).waitFor();
  await press(page, "Delete the account");
  await dialog.getByText("Name of the account must be Harbor Pets.").waitFor();
  expect(await view.shopAccount()).toBeDefined();
  await dialog.getByLabel("Name of the account").fill("Harbor Pets");
  await press(page, "Delete the account");
  await page.getByText("Harbor Pets is deleted, with 1 key and 1 order.").waitFor();
  expect(await view.shopAccount()).toBeUndefined();
});

test("shows the reason and request id of an error", async () => {
  const page = await view.open(`accounts/${operator}`);
  await press(page, "Disable");
  await page.getByRole("dialog").getByRole("button", { name: "Disable" }).click();
  const alert = page.getByRole("dialog").getByRole("alert");
  await alert.getByText(/request/).waitFor();
  await expect.poll(() => alert.locator("code").count()).toBe(2);
});

test("says so when no account has the id in the address", async () => {
  const page = await view.open("accounts/zzzzzzzzzzzz");
  await page.getByRole("alert").getByText("ACCOUNT_NOT_FOUND").waitFor();
});

test("changes the write policy of one", async () => {
  const page = await view.open(`accounts/${shop}`);
  await press(page, "Change write policy");
  const dialog = page.getByRole("dialog");
  await dialog
    .getByLabel("Write policy")
    .selectOption({ label: "strict: changes need a condition or an idempotency key" });
  await dialog.getByRole("button", { name: "Change write policy" }).click();
  await page
    .getByRole("main")
    .getByText(/^strict: changes need/)
    .waitFor();
  expect((await view.shopAccount())?.isStrict).toBe(true);
});

test("has the deletion of one apart from its other changes, at the end of the page", async () => {
  const page = await view.open(`accounts/${shop}`);
  const danger = page.locator("main > section").last();
  await danger.getByRole("heading", { name: "Delete the account" }).waitFor();
  await expect.poll(() => danger.getByRole("button").allTextContents()).toEqual(["Delete"]);
  await expect.poll(() => page.getByRole("button", { name: "Delete" }).count()).toBe(1);
});
