import type { Page } from "playwright-core";
import { beforeEach, describe, expect, it } from "vitest";
import { PetStatus } from "../../gen/inventory/v1/inventory_pb.ts";
import { OrderStatus } from "../../gen/store/v1/store_pb.ts";
import { scopes } from "../../src/access/scopes.ts";
import { addAccount, addKey, type TestKey } from "../support/accounts.ts";
import { useServer } from "../support/server.ts";
import { placed } from "../support/stock.ts";
import { storeKinds } from "../support/stores.ts";
import { violations } from "./support/accessibility.ts";
import { countRequests, screens, useBrowser } from "./support/browser.ts";

const operator = "aaaaaaaaaaaa";
const shop = "bbbbbbbbbbbb";

// The console does not depend on the store, so one kind is enough.
describe.each(storeKinds.slice(0, 1))("the operator view, in $name", (kind) => {
  const server = useServer(kind);
  const browser = useBrowser();
  const own: { operatorKey?: TestKey; shopKey?: TestKey } = {};

  beforeEach(async () => {
    const { stores } = server;
    await addAccount(stores, { plan: "business" }, operator);
    own.operatorKey = await addKey(stores, operator, { name: "office", scopes });
    await stores.accounts.createAccount(shop, "Harbor Pets", { plan: "free" });
    own.shopKey = await addKey(stores, shop, { name: "till 1" });
    await stores.inventory.put([{ petId: 7n, quantity: 10, status: PetStatus.AVAILABLE }]);
  });

  const open = (path: string, options = {}) =>
    browser.open(server.url, {
      key: own.operatorKey?.secret ?? "",
      hash: `#/operator/${path}`,
      ...options,
    });
  const press = (page: Page, name: string | RegExp) =>
    page.getByRole("button", { name, exact: true }).click();
  const row = (page: Page, text: string) => page.getByRole("row").filter({ hasText: text });
  const shopAccount = () => server.stores.accounts.getAccount(shop);

  /** The status of a request with a key. */
  async function statusWith(secret: string): Promise<number> {
    const headers = { authorization: `Bearer ${secret}` };
    const response = await fetch(`${server.url}/v1/inventory`, { headers });
    await response.body?.cancel();
    return response.status;
  }

  it("is not in the menu of a key without the scope admin", async () => {
    const page = await open("accounts", { key: own.shopKey?.secret ?? "" });
    await page.getByText("No such view").waitFor();
    expect(await page.getByRole("link", { name: "Operator" }).count()).toBe(0);
  });

  describe("accounts", () => {
    it("creates one with its own limits, once for a double click", async () => {
      const page = await open("accounts");
      await press(page, "New account");
      await page.getByLabel("Name").fill("Tiny Tails");
      await page.getByLabel("Plan").selectOption("enterprise");
      await page.getByLabel("Requests per minute").fill("500");
      await page.getByLabel("Requests per day").fill("20000");
      await page.getByRole("button", { name: "Create account" }).dblclick();
      await page.getByRole("heading", { name: "Tiny Tails" }).waitFor();
      await page.getByText("enterprise: 500 per minute, 20,000 per day").waitFor();
      const { accounts } = await server.stores.accounts.listAccounts(undefined, 10);
      expect(accounts.map(({ name }) => name).sort()).toEqual([
        "Harbor Pets",
        "Tiny Tails",
        "test",
      ]);
    });

    it("names wrong values before they are sent", async () => {
      const page = await open("accounts");
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

    it("renames one and changes its plan", async () => {
      const page = await open(`accounts/${shop}`);
      await press(page, "Rename");
      await page.getByRole("dialog").getByLabel("Name").fill("Harbor Pets Ltd");
      await page.getByRole("dialog").getByRole("button", { name: "Rename" }).click();
      await page.getByRole("heading", { name: "Harbor Pets Ltd" }).waitFor();
      await press(page, "Change plan");
      await page.getByLabel("Plan", { exact: true }).selectOption("pro");
      await page.getByRole("dialog").getByRole("button", { name: "Change plan" }).click();
      await page.getByText("pro: 300 per minute, 10,000 per day").waitFor();
      expect(await shopAccount()).toMatchObject({
        name: "Harbor Pets Ltd",
        choice: { plan: "pro" },
      });
    });

    it("disables and enables one", async () => {
      const page = await open(`accounts/${shop}`);
      await press(page, "Disable");
      await page.getByRole("dialog").getByRole("button", { name: "Disable" }).click();
      await page.getByText("disabled", { exact: true }).waitFor();
      expect((await shopAccount())?.disabledAt).toBeDefined();
      await press(page, "Enable");
      await page.getByRole("dialog").getByRole("button", { name: "Enable" }).click();
      await page.getByText("enabled", { exact: true }).waitFor();
      expect((await shopAccount())?.disabledAt).toBeUndefined();
    });

    it("deletes one after it said what goes and its name was typed", async () => {
      await placed(server.stores.orders, shop, 7n, 2);
      const page = await open(`accounts/${shop}`);
      await press(page, "Delete");
      const dialog = page.getByRole("dialog");
      await dialog.getByText("1 key").waitFor();
      await dialog.getByText("1 order").waitFor();
      await press(page, "Delete the account");
      await dialog.getByText("Name of the account must be Harbor Pets.").waitFor();
      expect(await shopAccount()).toBeDefined();
      await dialog.getByLabel("Name of the account").fill("Harbor Pets");
      await press(page, "Delete the account");
      await page.getByText("Harbor Pets is deleted, with 1 key and 1 order.").waitFor();
      expect(await shopAccount()).toBeUndefined();
    });

    it("shows the reason and request id of an error", async () => {
      const page = await open(`accounts/${operator}`);
      await press(page, "Disable");
      await page.getByRole("dialog").getByRole("button", { name: "Disable" }).click();
      const alert = page.getByRole("dialog").getByRole("alert");
      await alert.getByText(/request/).waitFor();
      expect(await alert.locator("code").count()).toBe(2);
    });

    it("says so when no account has the id in the address", async () => {
      const page = await open("accounts/zzzzzzzzzzzz");
      await page.getByRole("alert").getByText("ACCOUNT_NOT_FOUND").waitFor();
    });
  });

  describe("keys", () => {
    it("shows a new key once, and the key works", async () => {
      const page = await open(`accounts/${shop}`);
      await press(page, "New key");
      await page.getByLabel("Name").fill("till 2");
      await page.getByLabel("Allowed addresses").fill("127.0.0.0/8, ::1");
      await press(page, "Create key");
      const secret = (await page.locator(".secret code").textContent()) ?? "";
      expect(await statusWith(secret)).toBe(200);
      // Escape warns once before the key is lost.
      await page.keyboard.press("Escape");
      await page.getByText("The key is lost when this dialog closes.").waitFor();
      await press(page, "I have stored the key");
      await row(page, "till 2").getByText("127.0.0.0/8").waitFor();
      expect(await page.content()).not.toContain(secret);
    });

    it("needs at least one scope and a last day that is not over", async () => {
      const page = await open(`accounts/${shop}`);
      await press(page, "New key");
      await page.getByLabel("Last day").fill("2020-01-31");
      await press(page, "Create key");
      await page.getByText("Last day must be today or later, such as 2027-01-31.").waitFor();
      for (const scope of ["inventory:read", "inventory:write", "store:read", "store:write"]) {
        await page.getByLabel(scope).uncheck();
      }
      await press(page, "Create key");
      await page.getByText("Scopes must have at least one scope.").waitFor();
      expect(await server.stores.accounts.listKeys(shop)).toHaveLength(1);
    });

    it("says so when it is unknown whether one was created, and shows it in the list", async () => {
      const page = await open(`accounts/${shop}`);
      await page.route("**/CreateKey", async (route) => {
        await route.fetch();
        await route.abort();
      });
      await press(page, "New key");
      await page.getByLabel("Name").fill("till 2");
      await press(page, "Create key");
      await page.getByText(/^It is unknown whether the key was created\./).waitFor();
      await page.getByRole("table").getByText("till 2").waitFor();
      expect(await server.stores.accounts.listKeys(shop)).toHaveLength(2);
    });

    it("rotates one, and the old one is revoked at once with a grace of 0", async () => {
      const page = await open(`accounts/${shop}`);
      await press(page, "Rotate key till 1");
      await page.getByLabel("Hours that the old key stays valid").fill("0");
      await press(page, "Rotate key");
      await page.getByText("The old key is no longer valid.").waitFor();
      const secret = (await page.locator(".secret code").textContent()) ?? "";
      expect(await statusWith(own.shopKey?.secret ?? "")).toBe(401);
      expect(await statusWith(secret)).toBe(200);
    });

    it("revokes one from the list of all keys", async () => {
      const page = await open("keys");
      await press(page, "Revoke key till 1");
      await press(page, "Revoke key");
      await row(page, "till 1").getByText("revoked").waitFor();
      const [key] = (await server.stores.accounts.listKeys(shop)) ?? [];
      expect(key?.revokedAt).toBeDefined();
    });
  });

  describe("bans and busy accounts", () => {
    /** Sends requests with the shop's key until it is banned. */
    async function ban(): Promise<void> {
      for (let sent = 0; sent < 121; sent += 1) await statusWith(own.shopKey?.secret ?? "");
    }

    it("can unban a key when the clock of the computer is wrong", async () => {
      await ban();
      const page = await open("keys");
      // The clock of the server's stores differs from that of this computer, by which the server writes its header.
      await page.route(/\/(?:admin|usage)\.v1\./, async (route) => {
        const response = await route.fetch();
        const date = new Date(server.clock.now).toUTCString();
        await route.fulfill({ response, headers: { ...response.headers(), date } });
      });
      await page.reload();
      await press(page, "Unban key till 1");
      await page.getByRole("dialog", { name: "Unban till 1?" }).waitFor();
    });

    it("lists a banned key and unbans it", async () => {
      await ban();
      const page = await open("bans");
      await row(page, "till 1").getByText("Harbor Pets").waitFor();
      await press(page, "Unban key till 1");
      await page.getByText("No key is banned now.").waitFor();
      const [key] = (await server.stores.accounts.listKeys(shop)) ?? [];
      expect(key?.bannedUntil).toBeUndefined();
    });

    it("shows who is limited and banned now, by requests or by refused ones", async () => {
      await ban();
      const page = await open("top");
      const busiest = row(page, "Harbor Pets");
      await busiest.getByText(/minute limit reached/).waitFor();
      await busiest.getByText("1 banned key").waitFor();
      await busiest.getByText("0 of 60").waitFor();
      await page.getByLabel("Most").selectOption("refused requests");
      await busiest.waitFor();
      await row(page, "office").waitFor({ state: "detached" });
    });

    it("shows the usage of an account", async () => {
      await ban();
      const page = await open(`accounts/${shop}`);
      const hour = page.locator(".outcome-plot").filter({ hasText: "Last hour" });
      await hour.getByText("Admitted 60").waitFor();
      await page.locator(".gauge-none").waitFor();
    });
  });

  describe("orders", () => {
    const order = { id: 0n };
    beforeEach(async () => {
      order.id = (await placed(server.stores.orders, shop, 7n, 2)).orderId;
      await placed(server.stores.orders, operator, 7n, 1);
    });

    it("advances one to its end", async () => {
      const page = await open("orders");
      await press(page, `Approve order ${order.id}`);
      await row(page, shop).getByText("approved").waitFor();
      await press(page, `Deliver order ${order.id}`);
      await row(page, shop).getByText("delivered").waitFor();
      expect(await row(page, shop).getByRole("button").count()).toBe(0);
      expect((await server.stores.orders.get(shop, order.id))?.status).toBe(OrderStatus.DELIVERED);
    });

    it("cancels one and puts its quantity back into stock", async () => {
      const page = await open("orders");
      await press(page, `Cancel order ${order.id}`);
      await page.getByText("This puts 2 of pet 7 back into stock.").waitFor();
      await press(page, "Cancel the order");
      await row(page, shop).getByText("cancelled").waitFor();
      expect((await server.stores.inventory.get(7n))?.quantity).toBe(9);
    });

    it("shows those of one account, or of one status", async () => {
      const page = await open(`orders/${shop}`);
      await row(page, shop).waitFor();
      expect(await row(page, operator).count()).toBe(0);
      await page.getByLabel("Status").selectOption("approved");
      await page.getByText("There are no such orders.").waitFor();
    });

    it("shows an order that changed in the meantime with the reason", async () => {
      const page = await open("orders");
      await row(page, shop).waitFor();
      await server.stores.orders.advance(shop, order.id, OrderStatus.DELIVERED);
      await press(page, `Approve order ${order.id}`);
      await page.getByRole("alert").locator("code").first().waitFor();
      await row(page, shop).getByText("delivered").waitFor();
    });
  });

  describe("the audit trail", () => {
    it("shows the calls of a method, and the body of an entry", async () => {
      const page = await open(`accounts/${shop}`);
      await press(page, "Disable");
      await page.getByRole("dialog").getByRole("button", { name: "Disable" }).click();
      await page.getByText("Harbor Pets is disabled.").waitFor();
      await page.getByRole("link", { name: "Audit trail" }).click();
      await page.getByLabel("Method").fill("DisableAccount");
      await press(page, "Show");
      const end = page
        .getByRole("row")
        .filter({ hasText: "DisableAccount" })
        .filter({ hasText: "end" });
      await end.getByText(shop).first().waitFor();
      await row(page, "GetAccount").first().waitFor({ state: "detached" });
      await end.getByText("Show").click();
      await end.locator("pre").getByText("DisableAccount").waitFor();
    });

    it("names a time that is not one before it is sent", async () => {
      const page = await open("audit");
      await row(page, "ListAuditEntries").or(page.getByText("No entry matches.")).first().waitFor();
      const sent = countRequests(page);
      await page.getByLabel("From").fill("yesterday");
      await press(page, "Show");
      await page.getByText("From must be a day and time, such as 2026-11-22 10:00.").waitFor();
      expect(sent()).toBe(0);
    });
  });

  it.each([
    ["Escape", ["Escape"]],
    ["its Close button", ["Shift+Tab", "Enter"]],
  ])("is usable by keyboard only: when %s closes a dialog, the focus returns", async (_, keys) => {
    const page = await open(`accounts/${shop}`);
    await page.getByRole("button", { name: "Rename" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").getByRole("textbox").waitFor();
    await expect.poll(() => page.evaluate("document.activeElement.tagName")).toBe("INPUT");
    for (const key of keys) await page.keyboard.press(key);
    await page.getByRole("dialog").waitFor({ state: "detached" });
    // The focus returns after the dialog is removed.
    await expect.poll(() => page.evaluate("document.activeElement.textContent")).toBe("Rename");
  });

  it.each([
    ["desktop", "light"],
    ["phone", "dark"],
  ] as const)("is accessible on a %s in %s colors", async (screen, colorScheme) => {
    const viewport = screens[screen];
    await placed(server.stores.orders, shop, 7n, 2);
    const page = await open("accounts", { viewport, colorScheme });
    const sections = ["accounts", `accounts/${shop}`, "keys", "bans", "orders", "top", "audit"];
    for (const section of sections) {
      await page.evaluate(`location.hash = "#/operator/${section}"`);
      await page.locator("main h2").first().waitFor();
      await page.locator("main").getByText("Loading…").waitFor({ state: "detached" });
      expect(await violations(page), section).toEqual([]);
      const overflow =
        "document.documentElement.scrollWidth - document.documentElement.clientWidth";
      expect(await page.evaluate(overflow), section).toBe(0);
    }
    await page.evaluate(`location.hash = "#/operator/accounts/${shop}"`);
    await press(page, "New key");
    await page.getByRole("dialog").waitFor();
    expect(await violations(page), "a dialog").toEqual([]);
  });
});
