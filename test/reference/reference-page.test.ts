import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { violations } from "../console/support/accessibility.ts";
import { screens, useBrowser } from "../console/support/browser.ts";
import { ownAccount, useContract } from "../contract/support.ts";
import { storeKinds } from "../support/stores.ts";

const inventory = "inventory.v1.InventoryService";

// The page does not depend on the store, so one kind is enough.
describe.each(storeKinds.slice(0, 1))("the reference page, in $name", (kind) => {
  const contract = useContract(kind);
  const browser = useBrowser();

  /** Opens the page of a method. */
  const open = (route = "", key: string | undefined = contract.own.secret) =>
    browser.open(contract.server.url, { ...(key && { key }), hash: `docs#/${route}` });

  const send = (page: Page) => page.getByRole("button", { name: "Send" }).click();
  const status = (page: Page, text: string | RegExp) =>
    page.getByRole("status").filter({ hasText: text }).waitFor();
  const bodyOf = async (page: Page) =>
    (await page.getByRole("region", { name: "Response body" }).textContent()) ?? "";

  describe("calls", () => {
    it("shows all digits of the ids in a response", async () => {
      const page = await open(`${inventory}/ListInventory`);
      await send(page);
      await status(page, "Status 200");
      expect(await bodyOf(page)).toContain('"petId": 9007199254740993,\n');
    });

    it("changes an item with exact ids, and once for a double click", async () => {
      const page = await open(`${inventory}/AdjustInventory`);
      const before = await contract.server.stores.inventory.get(9_007_199_254_740_993n);
      await page.getByLabel("petId").fill("9007199254740993");
      await page.getByLabel("Body").fill('{"delta": 4}');
      await page.getByRole("button", { name: "Send" }).dblclick();
      await status(page, "Status 200");
      const after = await contract.server.stores.inventory.get(9_007_199_254_740_993n);
      expect(after?.quantity).toBe((before?.quantity ?? 0) + 4);
    });

    it("calls a method that exists on RPC only", async () => {
      const { secret } = await contract.newKey({ scopes: ["admin"] });
      const page = await open("admin.v1.AdminService/ListAccounts", secret);
      await send(page);
      await status(page, "Status 200");
      expect(JSON.parse(await bodyOf(page))).toMatchObject({
        accounts: [{ accountId: ownAccount }],
      });
    });

    it("names a wrong value and sends nothing", async () => {
      const page = await open(`${inventory}/GetInventoryItem`);
      const sent: string[] = [];
      page.on("request", (request) => sent.push(new URL(request.url()).pathname));
      await page.getByLabel("petId").fill("0");
      await send(page);
      await page.getByText("petId must be at least 1.").waitFor();
      expect(sent.filter((path) => path.startsWith("/v1/"))).toEqual([]);
    });

    it("shows the reason and the request id of an error", async () => {
      const page = await open(`${inventory}/GetInventoryItem`);
      await page.getByLabel("petId").fill("404404");
      await send(page);
      await status(page, "Status 404");
      await page.getByText("Response headers").click();
      const headers = page.getByRole("region", { name: "Response headers" });
      expect(await headers.textContent()).toMatch(/x-error-reason: PET_NOT_FOUND/);
      expect(await headers.textContent()).toMatch(/x-request-id: \S+/);
    });

    it("shows the events of a watch, and ends it", async () => {
      const page = await open(`${inventory}/WatchInventory`);
      await send(page);
      const events = page.getByRole("region", { name: "Events, newest first" });
      await events.getByText('"ready"').waitFor();
      await contract.server.stores.inventory.setQuantity(1n, 77);
      await events.getByText('"quantityAfter":77').waitFor();
      await page.getByRole("button", { name: "Stop" }).click();
      await status(page, /Ended after \d+ events/);
      await page.getByRole("button", { name: "Stop" }).waitFor({ state: "detached" });
      expect(await page.getByRole("button", { name: "Send" }).isEnabled()).toBe(true);
    });
  });

  describe("the key", () => {
    it("is understood with Bearer before it, and stays in the tab when the page is reloaded", async () => {
      const page = await open(`${inventory}/ListInventory`, "");
      await page.getByLabel("API key").fill(`Bearer ${contract.own.secret}`);
      await page.getByRole("button", { name: "Use" }).click();
      await page.getByRole("button", { name: "Forget" }).waitFor();
      await page.reload();
      await send(page);
      await status(page, "Status 200");
      expect(page.url()).not.toContain(contract.own.secret);
      expect(await page.evaluate("JSON.stringify(localStorage)")).not.toContain(
        contract.own.secret,
      );
      await page.goto(`${contract.server.url}/`);
      // The console uses the same key, so it does not ask for one.
      await page.getByRole("navigation", { name: "Views" }).waitFor();
    });

    it("is refused before it is sent when it is the id of a key", async () => {
      const page = await open("", "");
      await page.getByLabel("API key").fill(contract.own.keyId);
      await page.getByRole("button", { name: "Use" }).click();
      await page.getByText("That is the id of a key or account.").waitFor();
    });

    it("is forgotten on demand", async () => {
      const page = await open(`${inventory}/ListInventory`);
      await page.getByRole("button", { name: "Forget" }).click();
      await send(page);
      await status(page, "Status 401");
    });

    it("is not in a sample", async () => {
      const page = await open(`${inventory}/AdjustInventory`);
      for (const language of ["curl", "Go", "Python", "Java", "TypeScript"]) {
        await page.getByRole("button", { name: language, exact: true }).click();
        const sample = page.getByRole("region", { name: `Sample in ${language}` });
        expect(await sample.textContent()).toContain("INVENTORY_KEY");
        expect(await page.content()).not.toContain(contract.own.secret);
      }
    });
  });

  it("has a page for every method, which the keyboard reaches", async () => {
    const page = await open();
    await page.getByRole("heading", { level: 1 }).waitFor();
    const { services } = JSON.parse(
      (await contract.send("GET /docs/rpc.json", { authorization: null })).body,
    );
    const names = services.flatMap(({ methods }: { methods: { name: string }[] }) =>
      methods.map(({ name }) => name),
    );
    const links = page.getByRole("navigation", { name: "Contents" }).locator('a[href*="Service/"]');
    expect(await links.count()).toBe(names.length);
    for (const [at, name] of names.entries()) {
      await links.nth(at).press("Enter");
      await page.getByRole("heading", { level: 1, name, exact: true }).waitFor();
    }
  });

  it("has the limit headers on one page only", async () => {
    const page = await open();
    await page.getByText("X-RateLimit-Remaining", { exact: true }).waitFor();
    await page.goto(`${contract.server.url}/docs#/${inventory}/AdjustInventory`);
    await page.getByRole("heading", { level: 1, name: "AdjustInventory" }).waitFor();
    expect(await page.content()).not.toContain("X-RateLimit");
  });

  describe.each(["light", "dark"] as const)("in %s", (colorScheme) => {
    it.each(["desktop", "phone"] as const)(
      "has no violation of WCAG 2.2 AA on a %s",
      async (screen) => {
        const page = await browser.open(contract.server.url, {
          key: contract.own.secret,
          colorScheme,
          viewport: screens[screen],
          hash: "docs",
        });
        for (const route of [
          "",
          inventory,
          `${inventory}/AdjustInventory`,
          "admin.v1.AdminService/SetPlan",
        ]) {
          await page.goto(`${contract.server.url}/docs#/${route}`);
          await page.getByRole("heading", { level: 1 }).waitFor();
          expect.soft(await violations(page), route).toEqual([]);
          const width = await page.evaluate("document.documentElement.scrollWidth");
          expect.soft(width, `${route} is not wider than the screen`).toBe(screens[screen].width);
        }
      },
    );
  });
});
