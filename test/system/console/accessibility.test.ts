import type { Page } from "playwright-core";
import { beforeEach, expect, test } from "vitest";
import { PetStatus } from "../../../gen/inventory/v1/inventory_pb.ts";
import { scopes } from "../../../src/access/scopes.ts";
import { addKey } from "../../support/accounts.ts";
import { placed } from "../../support/stock.ts";
import { violations } from "./support/accessibility.ts";
import { screens } from "./support/browser.ts";
import { chooseFile, useConsole } from "./support/console.ts";

const pets = [
  { petId: 1n, quantity: 12, status: PetStatus.AVAILABLE },
  { petId: 2n, quantity: 0, status: PetStatus.SOLD },
  { petId: 3n, quantity: 7, status: PetStatus.PENDING },
];
const { server, browser, own, hold } = useConsole({ pets });

beforeEach(async () => {
  await server.stores.inventory.change({ petId: 1n, quantity: 9 });
});

/** Waits until a page is complete. Elements that fade would have a low contrast in the meantime. */
const live = (page: Page) => page.getByText("Live", { exact: true }).waitFor();

test.each([
  ["light", "desktop"],
  ["light", "phone"],
  ["dark", "desktop"],
  ["dark", "phone"],
] as const)("no violation of WCAG AA: %s, %s", async (colorScheme, screen) => {
  const page = await browser.open(server.url, { colorScheme, viewport: screens[screen] });
  expect(await violations(page)).toEqual([]);
  await page.getByLabel("API key").fill("wrong");
  await page.getByRole("button", { name: "Sign in" }).click();
  expect(await violations(page)).toEqual([]);

  await page.getByLabel("API key").fill(own.key);
  await page.getByRole("button", { name: "Sign in" }).click();
  await live(page);
  await page.getByRole("button", { name: "Change the quantity of pet 2" }).click();
  await page.getByLabel("New quantity").fill("x");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("must be a whole number").waitFor();
  expect(await violations(page)).toEqual([]);

  await page.getByRole("link", { name: "1", exact: true }).click();
  await page.getByRole("button", { name: "Discard" }).click();
  await page.getByRole("row").filter({ hasText: "-3" }).waitFor();
  expect(await violations(page)).toEqual([]);

  const width = await page.evaluate("document.documentElement.scrollWidth");
  expect(width, "the page does not scroll sideways").toBe(screens[screen].width);
});

test.each([
  ["light", "desktop"],
  ["light", "phone"],
  ["dark", "desktop"],
  ["dark", "phone"],
] as const)("no violation in changes, orders and holds: %s, %s", async (colorScheme, screen) => {
  const { stores, clock } = server;
  clock.now = Date.now();
  await placed(stores.orders, "aaaaaaaaaaaa", 1n, 2);
  await hold(3n, 2, 90_000);
  const { secret } = await addKey(stores, "aaaaaaaaaaaa", { scopes });
  const options = { key: secret, colorScheme, viewport: screens[screen] };
  const page = await browser.open(server.url, options);
  await live(page);
  const none = async (what: string) => {
    expect(await violations(page), what).toEqual([]);
    const width = await page.evaluate("document.documentElement.scrollWidth");
    expect(width, what).toBe(screens[screen].width);
  };
  await page.getByRole("checkbox", { name: "Select all pets of the list" }).click();
  await none("the selection");
  await page.getByRole("button", { name: "Change quantities" }).click();
  await stores.inventory.change({ petId: 1n, quantity: 30 });
  await page.getByLabel("New quantity").fill("5");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Pet 1: the quantity is 30.").waitFor();
  await none("a refused batch");
  await page.getByLabel("New quantity").fill("2000000000");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("dialog", { name: "Is this right?" }).waitFor();
  await none("the question about large changes");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Clear" }).click();
  await page.getByRole("button", { name: "Import a file" }).click();
  await chooseFile(
    page,
    `petId,quantity,status\n9223372036854775807,2147483647,sold\n${"7,x,sold\n".repeat(20)}`,
    `${"W".repeat(200)}.csv`,
  );
  await page.getByText("Leave out 20 bad lines").waitFor();
  await none("the preview of an import");
  await page.keyboard.press("Escape");
  await page.goto(`${server.url}/#/orders`);
  await page.getByRole("button", { name: /^Cancel order/ }).waitFor();
  await none("the orders");
  await page.getByRole("button", { name: "Place an order" }).click();
  await none("the form of an order");
  await page.keyboard.press("Escape");
  await page.goto(`${server.url}/#/orders/holds`);
  await page.getByText("cart-7").waitFor();
  await none("the holds");
  await page.getByRole("button", { name: "Place a hold" }).click();
  await page.getByRole("button", { name: "Add a pet" }).click();
  await none("the form of a hold");
  await page.keyboard.press("Escape");
  await page.goto(`${server.url}/#/activity`);
  await page.getByRole("row").filter({ hasText: "cart-7" }).waitFor();
  await none("the activity");
  await page.goto(`${server.url}/#/stock/3`);
  await page.getByRole("region", { name: "Holds" }).getByText("cart-7").waitFor();
  await none("the holds of a pet");
});

test.each([320, 700, 1440])("no violation with large numbers, %s px wide", async (width) => {
  const { stores } = server;
  await stores.inventory.change({ petId: 3n, quantity: 2_000_000_000 });
  const { secret } = await addKey(stores, "aaaaaaaaaaaa", { scopes });
  const page = await browser.open(server.url, { key: secret, viewport: { width, height: 800 } });
  const none = async (what: string) => {
    expect(await violations(page), what).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth"), what).toBe(width);
  };
  await page.getByText("2,000,000,000", { exact: true }).first().waitFor();
  await none("the list");
  await page.getByRole("checkbox", { name: "Select all pets of the list" }).click();
  await none("a selection");
  await page.goto(`${server.url}/#/stock/count`);
  await page.getByLabel("Scan or find").fill("3");
  await page.keyboard.press("Enter");
  await page.getByRole("textbox", { name: "Counted of pet 3" }).waitFor();
  await none("a count");
});

test("does not scroll sideways with names of 200 characters", async () => {
  const { stores } = server;
  await stores.accounts.update("aaaaaaaaaaaa", { name: "W".repeat(200) });
  const { secret } = await addKey(stores, "aaaaaaaaaaaa", { name: "W".repeat(200), scopes });
  const page = await browser.open(server.url, { key: secret, viewport: screens.phone });
  for (const route of ["usage", "operator/accounts", "operator/accounts/aaaaaaaaaaaa"]) {
    await page.goto(`${server.url}/#/${route}`);
    await page.getByRole("main").getByText("W".repeat(200)).first().waitFor();
    expect(await page.evaluate("document.documentElement.scrollWidth"), route).toBe(390);
  }
});

test("works with the keyboard alone", async () => {
  const page = await browser.open(server.url);
  const tabTo = async (name: string) => {
    for (let presses = 0; presses < 45; presses++) {
      await page.keyboard.press("Tab");
      const text = await page.evaluate(`(() => {
        const { activeElement: element } = document;
        return element.ariaLabel ?? element.labels?.[0]?.textContent ?? element.textContent;
      })()`);
      if (text === name) return;
    }
    throw new Error(`Tab does not reach ${name}`);
  };
  await tabTo("API key");
  await page.keyboard.type(own.key);
  await page.keyboard.press("Enter");
  await live(page);
  await tabTo("Change the quantity of pet 3");
  await page.keyboard.press("Enter");
  // The editor takes the focus, with the old quantity.
  await page.locator("input[name='update.quantity']:focus").waitFor();
  await page.keyboard.press("Control+a");
  await page.keyboard.type("42");
  await page.keyboard.press("Enter");
  await page.getByText("Pet 3 has the quantity 42 now.").waitFor();
  expect((await server.stores.inventory.get(3n))?.quantity).toBe(42);

  await page.locator("[aria-label='Change the quantity of pet 3']:focus").waitFor();
  await page.keyboard.press("Enter");
  await page.locator("input[name='update.quantity']:focus").waitFor();
  await page.keyboard.press("Escape");
  await page.getByLabel("New quantity").waitFor({ state: "detached" });
});
