import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { PetStatus } from "../../../gen/inventory/v1/inventory_pb.ts";
import { addAccount, addKey } from "../../support/accounts.ts";
import { screens } from "./support/browser.ts";
import { account, useConsole } from "./support/console.ts";

const pets = [
  { petId: 1n, quantity: 12, status: PetStatus.AVAILABLE },
  { petId: 2n, quantity: 0, status: PetStatus.SOLD },
  { petId: 31n, quantity: 7, status: PetStatus.PENDING },
  { petId: 9_007_199_254_740_993n, quantity: 3, status: PetStatus.AVAILABLE },
];
const { server, browser, own, open, quantityOf, hold } = useConsole({ pets });

const setOnServer = (petId: bigint, quantity: number) =>
  server.stores.inventory.change({ petId, quantity });

const row = (page: Page, petId: string) =>
  page.getByRole("row").filter({ has: page.getByRole("link", { name: petId, exact: true }) });

const seen = (page: Page, petId: string, ...texts: readonly string[]) =>
  row(page, petId)
    .filter({ hasText: new RegExp(texts.join(".*")) })
    .waitFor();

async function openEditor(page: Page, petId: string): Promise<void> {
  await page
    .getByRole("button", { name: `Change the quantity of pet ${petId}`, exact: true })
    .click();
  await page.getByLabel("New quantity").waitFor();
}

test("watches the stock only while a view shows it", async () => {
  const page = await open();
  const views = page.getByRole("navigation", { name: "Views" });
  for (const _visit of [1, 2]) {
    await page.getByText("Live", { exact: true }).waitFor();
    await expect.poll(() => server.inFlight?.stream).toBe(1);
    await views.getByRole("link", { name: "My usage", exact: true }).click();
    await expect.poll(() => server.inFlight?.stream).toBe(0);
    await views.getByRole("link", { name: "Stock", exact: true }).click();
  }
});

test("shows each pet with its exact id, status and quantity", async () => {
  const page = await open();
  await seen(page, "1", "available", "12");
  await seen(page, "2", "sold", "0");
  await seen(page, "31", "pending", "7");
  await seen(page, "9007199254740993", "available", "3");
  await page.getByText("4 pets", { exact: true }).waitFor();
});

describe("changes a quantity", () => {
  test.each(["any", "strict"] as const)("sets it, with the write policy %s", async (policy) => {
    await server.stores.accounts.update(account, { policy });
    const page = await open();
    await openEditor(page, "1");
    await page.getByLabel("New quantity").fill("15");
    await page.getByLabel("Reason").selectOption("arrival");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Pet 1 has the quantity 15 now.").waitFor();
    await seen(page, "1", "15");
    expect(await quantityOf(1n)).toBe(15);
  });

  test.each(["any", "strict"] as const)("adds to it, with the write policy %s", async (policy) => {
    await server.stores.accounts.update(account, { policy });
    const page = await open();
    await openEditor(page, "31");
    await page.getByLabel("Action").selectOption("Add or subtract");
    await page.getByLabel("Amount").fill("-3");
    await page.getByRole("button", { name: "Save" }).click();
    await seen(page, "31", "4");
    expect(await quantityOf(31n)).toBe(4);
  });

  test("names wrong values before they are sent", async () => {
    const page = await open();
    await openEditor(page, "1");
    const input = page.getByLabel("New quantity");
    for (const [value, fault] of [
      ["-1", "must be between 0 and 2147483647"],
      ["2147483648", "must be between 0 and 2147483647"],
      ["five", "must be a whole number"],
      ["", "is required"],
    ] as const) {
      await input.fill(value);
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByText(`New quantity ${fault}.`).waitFor();
      await expect.poll(() => input.getAttribute("aria-invalid")).toBe("true");
    }
    const sent = server.records.filter(({ operation }) =>
      operation.route.includes("UpdateInventory"),
    );
    expect(sent).toEqual([]);
  });

  test("once, when the button is clicked twice", async () => {
    const page = await open();
    await openEditor(page, "1");
    await page.getByLabel("Action").selectOption("Add or subtract");
    await page.getByLabel("Amount").fill("1");
    await page.getByRole("button", { name: "Save" }).dblclick();
    await seen(page, "1", "13");
    const history = await server.stores.inventory.changes({ petId: 1n, limit: 10 });
    expect(history?.changes).toHaveLength(2); // When the pet was added, and this one.
  });

  test("shows both quantities when another change comes first, and saves at the second try", async () => {
    const page = await open();
    await openEditor(page, "1");
    await setOnServer(1n, 9);
    await page.getByText("The quantity was 12 when you began. It is 9 now.").waitFor();
    await page.getByLabel("New quantity").fill("20");
    await page.getByRole("button", { name: "Save" }).click();
    const notice = page.getByRole("alert");
    await notice.filter({ hasText: /was not made.*was 12 when you began.*is 9 now/ }).waitFor();
    expect(await quantityOf(1n)).toBe(9);

    await page.getByText("It is 9 now.", { exact: true }).waitFor();
    await setOnServer(1n, 1_008);
    await seen(page, "1", "1,008");
    await notice.filter({ hasText: /was 12 when you began.*is 1,008 now/ }).waitFor();
    await page.getByText("It is 1,008 now.", { exact: true }).waitFor();
    await expect.poll(() => page.locator(".banner").count()).toBe(1);
    const top = page.locator("form > :first-child");
    await expect.poll(() => top.getAttribute("class")).toContain("banner");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("button", { name: "Save anyway" }).click();
    await notice.filter({ hasText: "attempt 2" }).waitFor();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("button", { name: "Save anyway" }).click();
    await seen(page, "1", "20");
    expect(await quantityOf(1n)).toBe(20);
  });

  test("shows a lost race on a phone, where the notice is above the visible part of the list", async () => {
    const page = await browser.open(server.url, { key: own.key, viewport: screens.phone });
    await openEditor(page, "1");
    const save = page.getByRole("button", { name: "Save" });
    for (const [attempt, text] of ["was not made", "attempt 2", "attempt 3"].entries()) {
      await setOnServer(1n, 100 + attempt);
      await seen(page, "1", String(100 + attempt));
      await page.evaluate("document.querySelector('.rows').scrollTo(0, 1_000)");
      await save.click();
      await page.getByRole("alert").filter({ hasText: text }).waitFor();
      // The whole notice, not covered by the header of the list.
      await expect
        .poll(() =>
          page.evaluate(`(() => {
            const alert = document.querySelector("form [role='alert']");
            const { x, y, bottom } = alert.getBoundingClientRect();
            const isSeen = (at) => alert.contains(document.elementFromPoint(x + 20, at));
            return isSeen(y + 2) && isSeen(bottom - 2);
          })()`),
        )
        .toBe(true);
    }
  });

  test("does not take its own change for another one while the response is on its way", async () => {
    const page = await open();
    const arrived = Promise.withResolvers<void>();
    await page.route("**/UpdateInventory", async (route) => {
      const response = await route.fetch();
      await arrived.promise;
      await route.fulfill({ response });
    });
    await openEditor(page, "1");
    await page.getByLabel("New quantity").fill("20");
    await page.getByRole("button", { name: "Save" }).click();
    await seen(page, "1", "20");
    await expect.poll(() => page.getByText("when you began").count()).toBe(0);
    arrived.resolve();
    await page.getByText("Pet 1 has the quantity 20 now.").waitFor();
  });

  test("says so when the pet is removed while its editor is open", async () => {
    const page = await open();
    await openEditor(page, "31");
    await page.getByLabel("New quantity").fill("20");
    await server.stores.catalog.remove(31n);
    await page.getByText("Pet 31 was removed in the meantime.").waitFor();
    await page.locator("main:focus").waitFor();
    // A new pet with the same id does not open the editor again.
    await server.stores.catalog.put([{ petId: 31n, quantity: 1, status: PetStatus.SOLD }]);
    await seen(page, "31", "sold", "1");
    await expect.poll(() => page.getByLabel("New quantity").count()).toBe(0);
  });
});

describe("is live", () => {
  test("shows added and removed pets", async () => {
    const page = await open();
    await page.getByText("4 pets", { exact: true }).waitFor();
    await server.stores.catalog.put([{ petId: 5n, quantity: 1, status: PetStatus.AVAILABLE }]);
    await seen(page, "5", "available", "1");
    await server.stores.catalog.remove(2n);
    await page.getByText("4 pets", { exact: true }).waitFor();
    await row(page, "2").waitFor({ state: "detached" });
  });

  test("shows the history of a pet as a plot and a list, and adds new changes", async () => {
    await setOnServer(1n, 10);
    const page = await open("#/stock/1");
    const table = page.getByRole("table", { name: "Changes, newest first" });
    await table.getByRole("row").filter({ hasText: "-2" }).waitFor();
    await page.getByRole("img", { name: "The quantity over time" }).locator("canvas").waitFor();
    await setOnServer(1n, 14);
    await table.getByRole("row").filter({ hasText: "+4" }).waitFor();
    await page.getByText(/^14 in stock/).waitFor();
    const { holds } = server.stores;
    await hold(1n, 3);
    await table.getByRole("cell", { name: "hold", exact: true }).waitFor();
    await holds.release("aaaaaaaaaaaa", "cart-7");
    await table.getByRole("cell", { name: "hold ended", exact: true }).waitFor();
  });

  test("shows who made a change, and its note and reference, to those who may see it", async () => {
    const other = "bbbbbbbbbbbb";
    await addAccount(server.stores, { plan: "pro" }, other);
    const { secret, keyId } = await addKey(server.stores, other);
    const response = await fetch(`${server.url}/v1/inventory/1:adjust`, {
      method: "POST",
      headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
      body: JSON.stringify({ delta: 5, note: "van 3", reference: "D-77" }),
    });
    expect(response.status).toBe(200);
    const auditor = await addKey(server.stores, account, {
      scopes: ["inventory:read", "inventory:audit"],
    });
    const change = (page: Page) => page.getByRole("row").filter({ hasText: "+5" });
    const seeing = await browser.open(server.url, { key: auditor.secret, hash: "#/stock/1" });
    for (const text of [other, keyId, "van 3", "D-77"]) {
      await change(seeing).getByText(text, { exact: true }).waitFor();
    }
    const page = await open("#/stock/1");
    await change(page).waitFor();
    await expect.poll(() => page.getByText(other).count()).toBe(0);
    await expect.poll(() => page.getByRole("columnheader", { name: "Changed by" }).count()).toBe(0);
    await page.getByRole("button", { name: "Change the quantity" }).click();
    await page.getByLabel("New quantity").fill("99");
    await page.getByRole("button", { name: "Save" }).click();
    const ownChange = page.getByRole("row").filter({ hasText: "+82" });
    await ownChange.getByText(`${own.keyId} (this key)`).waitFor();
  });

  test("keeps the newest changes of a busy pet, and loads the older ones again", async () => {
    const page = await open("#/stock/1");
    const list = page.getByRole("table", { name: "Changes, newest first" });
    await list.waitFor();
    for (let quantity = 1; quantity <= 900; quantity += 1) await setOnServer(1n, quantity);
    await list.getByRole("row").filter({ hasText: "900" }).waitFor();
    await expect.poll(() => list.getByRole("row").count()).toBeLessThan(750);
    await page.getByRole("button", { name: "Load older changes" }).click();
    await page.getByText(/^900 in stock/).waitFor();
  });
});
