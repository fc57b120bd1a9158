import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Locator, Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { ownAccount, useContract } from "../../contract/support.ts";
import { storeKinds } from "../../support/stores.ts";
import { violations } from "../console/support/accessibility.ts";
import { screens, useBrowser } from "../console/support/browser.ts";

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
    test("shows all digits of the ids in a response", async () => {
      const page = await open(`${inventory}/ListInventory`);
      await send(page);
      await status(page, "Status 200");
      expect(await bodyOf(page)).toContain('"petId": 9007199254740993,\n');
    });

    test("changes an item with exact ids, and once for a double click", async () => {
      const page = await open(`${inventory}/AdjustInventory`);
      const before = await contract.server.stores.inventory.get(9_007_199_254_740_993n);
      await page.getByLabel("petId").fill("9007199254740993");
      await page.getByLabel("Body").fill('{"delta": 4}');
      await page.getByRole("button", { name: "Send" }).dblclick();
      await status(page, "Status 200");
      const after = await contract.server.stores.inventory.get(9_007_199_254_740_993n);
      expect(after?.quantity).toBe((before?.quantity ?? 0) + 4);
    });

    test("calls a method that exists on RPC only", async () => {
      const { secret } = await contract.newKey({ scopes: ["admin"] });
      const page = await open("admin.v1.AdminService/ListAccounts", secret);
      await send(page);
      await status(page, "Status 200");
      expect(JSON.parse(await bodyOf(page))).toMatchObject({
        accounts: [{ accountId: ownAccount }],
      });
    });

    test("names a wrong value and sends nothing", async () => {
      const page = await open(`${inventory}/GetInventoryItem`);
      const sent: string[] = [];
      page.on("request", (request) => sent.push(new URL(request.url()).pathname));
      await page.getByLabel("petId").fill("0");
      await send(page);
      await page.getByText("petId must be at least 1.").waitFor();
      expect(sent.filter((path) => path.startsWith("/v1/"))).toEqual([]);
    });

    test("shows the reason and the request id of an error", async () => {
      const page = await open(`${inventory}/GetInventoryItem`);
      await page.getByLabel("petId").fill("404404");
      await send(page);
      await status(page, "Status 404");
      await page.getByText("Response headers").click();
      const headers = page.getByRole("region", { name: "Response headers" });
      expect(await headers.textContent()).toMatch(/x-error-reason: PET_NOT_FOUND/);
      expect(await headers.textContent()).toMatch(/x-request-id: \S+/);
    });

    test("shows the events of a watch, and ends it", async () => {
      const page = await open(`${inventory}/WatchInventory`);
      await send(page);
      const events = page.getByRole("region", { name: "Events, newest first" });
      await events.getByText('"ready"').waitFor();
      await contract.server.stores.inventory.change({ petId: 1n, quantity: 77 });
      await events.getByText('"quantityAfter":77').waitFor();
      await page.getByRole("button", { name: "Stop" }).click();
      await status(page, /Ended after \d+ events/);
      await page.getByRole("button", { name: "Stop" }).waitFor({ state: "detached" });
      expect(await page.getByRole("button", { name: "Send" }).isEnabled()).toBe(true);
    });
  });

  describe("a call without a response", () => {
    const fault = "The connection to the service failed or broke. Try again.";

    test.each(["ListInventory", "WatchInventory"])(
      "of %s is an error if it fails",
      async (name) => {
        const page = await open(`${inventory}/${name}`);
        await page.route("**/v1/**", (route) => route.abort());
        await send(page);
        await page.getByRole("alert").filter({ hasText: fault }).waitFor();
        await page.unrouteAll();
        await send(page);
        await status(page, "Status 200");
        expect(await page.getByRole("alert").count()).toBe(0);
      },
    );

    test.each([
      ["before its response", false],
      ["after its first events", true],
    ])("is no error if the user stops it %s", async (_when, isBegun) => {
      const page = await open(`${inventory}/WatchInventory`);
      if (!isBegun) await page.route("**/v1/**", () => {});
      await send(page);
      if (isBegun) await status(page, /Receiving: \d+ events/);
      await page.getByRole("button", { name: "Stop" }).click();
      await page.getByRole("button", { name: "Stop" }).waitFor({ state: "detached" });
      await page.getByRole("button", { name: "Send" }).click({ trial: true });
      expect(await page.getByRole("alert").count()).toBe(0);
    });
  });

  describe("the key", () => {
    test("is understood with Bearer before it, and stays in the tab when the page is reloaded", async () => {
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

    test("is refused before it is sent when it is the id of a key", async () => {
      const page = await open("", "");
      await page.getByLabel("API key").fill(contract.own.keyId);
      await page.getByRole("button", { name: "Use" }).click();
      await page.getByText("That is the id of a key or account.").waitFor();
    });

    test("is forgotten on demand", async () => {
      const page = await open(`${inventory}/ListInventory`);
      await page.getByRole("button", { name: "Forget" }).click();
      await send(page);
      await status(page, "Status 401");
    });

    test("is not in a sample", async () => {
      const page = await open(`${inventory}/AdjustInventory`);
      for (const language of ["curl", "Go", "Python", "Java", "TypeScript"]) {
        await page.getByRole("button", { name: language, exact: true }).click();
        const sample = page.getByRole("region", { name: `Sample in ${language}` });
        expect(await sample.textContent()).toContain("INVENTORY_API_KEY");
        expect(await page.content()).not.toContain(contract.own.secret);
      }
    });
  });

  test("has a page for every method, which the keyboard reaches", async () => {
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

  test("has the limit headers on one page only", async () => {
    const page = await open();
    await page.getByText("X-RateLimit-Remaining", { exact: true }).waitFor();
    await page.goto(`${contract.server.url}/docs#/${inventory}/AdjustInventory`);
    await page.getByRole("heading", { level: 1, name: "AdjustInventory" }).waitFor();
    expect(await page.content()).not.toContain("X-RateLimit");
  });

  /** Where an element is on the screen, in pixels. */
  const boxOf = async (element: Locator) => {
    const box = await element.boundingBox();
    if (!box) throw new Error("the element is not on the page");
    return { ...box, bottom: box.y + box.height };
  };

  describe("while the page scrolls", () => {
    test("keeps the navigation and the sample in view", async () => {
      const page = await open(`${inventory}/UpdateInventory`);
      const parts = [
        page.getByRole("combobox", { name: "Search the methods" }),
        page.getByRole("link", { name: "UpdateInventory", exact: false }).first(),
        page.getByRole("region", { name: "Sample in curl" }),
        page.getByRole("button", { name: "Send" }),
      ];
      const before = await Promise.all(parts.map(boxOf));
      await page.evaluate("scrollTo(0, document.body.scrollHeight)");
      await expect.poll(() => page.evaluate("scrollY")).toBeGreaterThan(400);
      const after = await Promise.all(parts.map(boxOf));
      for (const [at, box] of after.entries()) {
        expect.soft(box.y, `part ${at}`).toBeGreaterThan(0);
        expect.soft(box.y, `part ${at}`).toBeLessThanOrEqual(before[at]?.y ?? 0);
        expect.soft(box.bottom, `part ${at}`).toBeLessThan(screens.desktop.height);
      }
    });

    test("keeps the contents in view on a phone, and the sample before the parameters", async () => {
      const page = await browser.open(contract.server.url, {
        viewport: screens.phone,
        hash: `docs#/${inventory}/UpdateInventory`,
      });
      const sample = await boxOf(page.getByRole("heading", { name: "Sample" }));
      const parameters = await boxOf(page.getByRole("heading", { name: "Parameters" }));
      expect(sample.y).toBeLessThan(parameters.y);
      const header = await boxOf(page.getByRole("banner"));
      expect(header.height, "one row").toBeLessThan(60);
      await page.evaluate("scrollTo(0, document.body.scrollHeight)");
      await expect.poll(() => page.evaluate("scrollY")).toBeGreaterThan(400);
      expect((await boxOf(page.getByText("Contents and search"))).y).toBeGreaterThanOrEqual(0);
    });
  });

  describe("the search", () => {
    const combobox = (page: Page) => page.getByRole("combobox", { name: "Search the methods" });
    const chosen = (page: Page, name: string) =>
      page.locator('[role="option"][aria-selected="true"]').filter({ hasText: name }).waitFor();
    const heading = (page: Page, name: string) =>
      page.getByRole("heading", { level: 1, name, exact: true }).waitFor();

    test("opens a method with the keyboard alone", async () => {
      const page = await open(`${inventory}/ListInventory`);
      await heading(page, "ListInventory");
      await page.keyboard.press("/");
      await page.keyboard.type("hold");
      await chosen(page, "PutHold");
      await page.keyboard.press("ArrowDown");
      await chosen(page, "ConfirmHold");
      const active = await combobox(page).getAttribute("aria-activedescendant");
      expect(await page.locator(`[id="${active}"]`).textContent()).toContain("ConfirmHold");
      await page.keyboard.press("ArrowUp");
      await page.keyboard.press("ArrowUp");
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("Enter");
      await heading(page, "PutHold");
      expect(await page.evaluate("document.activeElement.id")).toBe("main");
      expect(await page.getByRole("option").count()).toBe(0);
    });

    test("finds what users want to do, and the codes of errors, and samples have values of their fields", async () => {
      const page = await open();
      for (const [text, name] of [
        ["STOCK_TOO_SMALL", "AdjustInventory"],
        ["409", "AdjustInventory"],
        ["429", "GetUsage"],
        ["sell", "AdjustInventory"],
        ["reserve", "PutHold"],
      ] as const) {
        await combobox(page).fill(text);
        await page.getByRole("option").filter({ hasText: name }).first().waitFor();
      }
      await page.getByRole("option").filter({ hasText: "PutHold" }).click();
      await heading(page, "PutHold");
      await page.getByLabel("Sample in curl").getByText("/v1/store/holds/cart-7'").waitFor();
    });

    test("is emptied by Escape, and left by a second one", async () => {
      const page = await open();
      await combobox(page).waitFor();
      await page.keyboard.press("/");
      await page.keyboard.type("no such method");
      await page.getByText("No method has these words.").waitFor();
      await page.keyboard.press("Escape");
      expect(await combobox(page).inputValue()).toBe("");
      await page.locator("[role='combobox']:focus").waitFor();
      await page.keyboard.press("Escape");
      await page.locator("[role='combobox']:not(:focus)").waitFor();
    });

    test("leaves / to other fields", async () => {
      const page = await open(`${inventory}/GetInventoryItem`);
      await page.getByLabel("petId").fill("");
      await page.getByLabel("petId").press("/");
      expect(await page.getByLabel("petId").inputValue()).toBe("/");
    });

    test("opens with the contents on a phone, and closes when a method is chosen", async () => {
      const page = await browser.open(contract.server.url, {
        viewport: screens.phone,
        hash: "docs",
      });
      await page.getByText("Contents and search").click();
      await combobox(page).fill("/v1/usage");
      await page.getByRole("option").click();
      await heading(page, "GetUsage");
      await combobox(page).waitFor({ state: "hidden" });
    });
  });

  describe("the quick start", () => {
    test.each(["desktop", "phone"] as const)("is on the first screen of a %s", async (screen) => {
      const page = await browser.open(contract.server.url, {
        viewport: screens[screen],
        hash: "docs",
      });
      const { bottom } = await boxOf(page.getByRole("list", { name: "Quick start" }));
      expect(bottom).toBeLessThan(screens[screen].height);
    });

    test("has commands that read the stock from this server", async () => {
      const page = await open();
      const commands = await page.getByRole("region", { name: "First call" }).textContent();
      const withKey = (commands ?? "").replace("inv_…", contract.own.secret);
      const { stdout } = await promisify(execFile)("sh", ["-c", withKey]);
      expect(JSON.parse(stdout)).toContainEqual(expect.objectContaining({ petId: 1 }));
    });

    test("links to methods and packages that exist", async () => {
      const page = await open();
      const links = page.getByRole("list", { name: "Quick start" }).getByRole("link");
      await links.first().waitFor();
      expect(await links.count()).toBe(7);
      for (let at = 0; at < (await links.count()); at++) {
        const name = (await links.nth(at).textContent()) ?? "";
        await links.nth(at).click();
        await page.getByRole("heading", { level: 1, name: /^(?!Inventory Service API)/ }).waitFor();
        expect.soft(await page.title(), name).toMatch(/ · Inventory Service API$/);
        await page.goBack();
        await page.getByRole("list", { name: "Quick start" }).waitFor();
      }
    });
  });

  test("links samples to the package of their language, which links to what packages share", async () => {
    const page = await open(`${inventory}/AdjustInventory`);
    for (const language of ["Go", "Python", "Java", "TypeScript"]) {
      await page.getByRole("button", { name: language, exact: true }).click();
      await page.getByRole("link", { name: `package for ${language}` }).click();
      await page.getByRole("heading", { level: 1, name: `client for ${language}` }).waitFor();
      await page.goBack();
    }
    await page.goto(`${contract.server.url}/docs#/clients/go`);
    await page.getByRole("link", { name: "install it from a clone" }).click();
    const heading = page.getByRole("heading", { name: "Install from a clone" });
    await heading.waitFor();
    await expect.poll(() => page.evaluate("scrollY")).toBeGreaterThan(0);
    expect((await boxOf(heading)).y).toBeLessThan(screens.desktop.height / 2);
  });

  test("says what it means that a method is experimental, over HTTP and RPC", async () => {
    const page = await open(`${inventory}/UpdateInventory`);
    const meaning = page.getByText(
      /^This operation is experimental\. Any minor release may change/,
    );
    await meaning.waitFor();
    await page.getByRole("button", { name: "RPC" }).click();
    await page
      .getByText("/inventory.v1.InventoryService/UpdateInventory", { exact: true })
      .waitFor();
    await meaning.waitFor();
  });

  describe.each(["light", "dark"] as const)("in %s", (colorScheme) => {
    test.each([1_440, 1_280, 390])(
      "has no violation of WCAG 2.2 AA at a width of %i",
      async (width) => {
        const page = await browser.open(contract.server.url, {
          key: contract.own.secret,
          colorScheme,
          viewport: { width, height: 900 },
          hash: "docs",
        });
        for (const route of [
          "",
          inventory,
          `${inventory}/AdjustInventory`,
          "admin.v1.AdminService/SetPlan",
          "clients",
          "clients/go",
        ]) {
          await page.goto(`${contract.server.url}/docs#/${route}`);
          await page.getByRole("heading", { level: 1 }).waitFor();
          expect.soft(await violations(page), route).toEqual([]);
          const needed = await page.evaluate("document.documentElement.scrollWidth");
          expect.soft(needed, `${route} is not wider than the screen`).toBe(width);
        }
        await page.keyboard.press("/");
        await page.keyboard.type("inventory");
        await page.getByRole("option").first().waitFor();
        expect(await violations(page), "the search").toEqual([]);
      },
    );
  });
});
