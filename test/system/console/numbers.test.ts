import type { Page } from "playwright-core";
import { beforeEach, describe, expect, test } from "vitest";
import { PetStatus } from "../../../gen/inventory/v1/inventory_pb.ts";
import { scopes } from "../../../src/access/scopes.ts";
import { addKey } from "../../support/accounts.ts";
import { chooseFile, press, shows, useConsole } from "./support/console.ts";

const shop = "bbbbbbbbbbbb";

describe("number fields of the console", () => {
  const pets = [
    { petId: 1n, quantity: 40, status: PetStatus.AVAILABLE },
    { petId: 2n, quantity: 7, status: PetStatus.AVAILABLE },
    { petId: 3n, quantity: 0, status: PetStatus.SOLD },
  ];
  const { server, open, quantityOf } = useConsole({ pets, plan: "business", scopes });

  beforeEach(async () => {
    const { stores } = server;
    const limits = { perMinute: 600, perDay: 20_000 };
    await stores.accounts.createAccount(shop, "Harbor Pets", { plan: "enterprise", limits });
    await addKey(stores, shop, { name: "till 1" });
  });

  const ask = (page: Page) => page.getByRole("dialog", { name: "Is this right?" });
  const sent = (method: string) =>
    server.records.filter(({ operation }) => operation.route.endsWith(`/${method}`)).length;
  const effects = (page: Page) => page.locator(".effects");

  /** Opens the editor of pet 1, whose value has the focus. */
  async function openEditor(): Promise<Page> {
    const page = await open();
    await press(page, "Change the quantity of pet 1");
    await page.getByLabel("New quantity").waitFor();
    return page;
  }
  /** The selected text of the field with the focus. */
  const selected = (page: Page) => page.evaluate("getSelection().toString()");

  describe("the quantity of a pet", () => {
    test("is replaced by what is typed: 35 over 40 saves 35, after the editor has shown both", async () => {
      const page = await openEditor();
      await page.keyboard.type("35");
      await effects(page).getByText("Quantity: 40 → 35", { exact: true }).waitFor();
      await expect.poll(() => page.getByLabel("New quantity").inputValue()).toBe("35");
      // Above the button, not below another field.
      const [shown, save] = [effects(page), page.getByRole("button", { name: "Save" })];
      const rightOf = async (place: typeof shown) => {
        const box = await place.boundingBox();
        return Math.round((box?.x ?? 0) + (box?.width ?? 0));
      };
      expect(await rightOf(shown)).toBe(await rightOf(save));
      await page.keyboard.press("Enter");
      await page.getByText("Pet 1 has the quantity 35 now.").waitFor();
      expect(await quantityOf(1n)).toBe(35);
    });

    test("takes the keys that follow at once, however slow the service is", async () => {
      const page = await open();
      await page.route("**/GetInventoryItem", async () => {}); // never responds
      await page.getByRole("button", { name: "Change the quantity of pet 1", exact: true }).focus();
      for (const key of ["Enter", "3", "5", "Enter"]) await page.keyboard.press(key);
      await page.getByText("Pet 1 has the quantity 35 now.").waitFor();
      expect(await quantityOf(1n)).toBe(35);
    });

    test("is selected by the first click, and the next click puts the caret", async () => {
      const page = await openEditor();
      const input = page.getByLabel("New quantity");
      await page.getByLabel("Note").click();
      await input.click();
      expect(await selected(page)).toBe("40");
      await input.click();
      expect(await selected(page)).toBe("");
      await page.keyboard.press("End");
      await page.keyboard.type("1");
      await expect.poll(() => input.inputValue()).toBe("401");
    });

    test("is selected by the Tab key and by its label", async () => {
      const page = await openEditor();
      await page.getByLabel("Note").focus();
      await page.keyboard.press("Shift+Tab");
      await page.keyboard.press("Shift+Tab");
      expect(await selected(page)).toBe("40");
      await page.getByLabel("Note").focus();
      await page.getByText("New quantity", { exact: true }).click();
      expect(await selected(page)).toBe("40");
    });

    test("stays as typed when the window loses the focus and gets it back", async () => {
      const page = await openEditor();
      await page.keyboard.type("3");
      await page.evaluate(`for (const type of ["blur", "focus"]) {
        document.activeElement.dispatchEvent(new FocusEvent(type));
      }`);
      await page.keyboard.type("5");
      await expect.poll(() => page.getByLabel("New quantity").inputValue()).toBe("35");
    });

    test("is selected again when it is wrong", async () => {
      const page = await openEditor();
      await page.keyboard.type("x");
      await page.keyboard.press("Enter");
      await page.getByText("New quantity must be a whole number.").waitFor();
      await page.keyboard.type("35");
      await page.keyboard.press("Enter");
      await page.getByText("Pet 1 has the quantity 35 now.").waitFor();
    });

    test.each(["Correct it", "Close", "Escape"])(
      "is asked about when it has a digit too many, and corrected after %s",
      async (way) => {
        const page = await openEditor();
        await page.keyboard.type("3540");
        // Whoever presses Enter twice has not read the question.
        await page.keyboard.press("Enter");
        await page.keyboard.press("Enter");
        await ask(page).getByText("Quantity: 40 → 3,540").waitFor();
        if (way === "Escape") await page.keyboard.press("Escape");
        else await ask(page).getByRole("button", { name: way }).click();
        await ask(page).waitFor({ state: "detached" });
        expect(await selected(page)).toBe("3540");
        expect(sent("UpdateInventory")).toBe(0);
        await page.keyboard.type("35");
        await page.keyboard.press("Enter");
        await page.getByText("Pet 1 has the quantity 35 now.").waitFor();
        expect(await quantityOf(1n)).toBe(35);
      },
    );

    test("is not saved by a double click, and is saved by the answer", async () => {
      const page = await openEditor();
      await page.keyboard.type("4");
      await page.getByRole("button", { name: "Save" }).dblclick();
      await ask(page).getByText("Quantity: 40 → 4", { exact: true }).waitFor();
      // The second click of a double click that began elsewhere.
      const anyway = ask(page).getByRole("button", { name: "Save anyway" });
      await anyway.dispatchEvent("click", { detail: 2 });
      expect(sent("UpdateInventory")).toBe(0);
      await anyway.click();
      await page.getByText("Pet 1 has the quantity 4 now.").waitFor();
      expect(await quantityOf(1n)).toBe(4);
      expect(sent("UpdateInventory")).toBe(1);
    });

    test("is compared with what the pet has now, not with what it had", async () => {
      const page = await openEditor();
      await server.stores.inventory.change({ petId: 1n, quantity: 3 });
      await page.getByText("The quantity was 40 when you began. It is 3 now.").waitFor();
      await page.keyboard.type("35");
      await effects(page).getByText("Quantity: 3 → 35", { exact: true }).waitFor();
      await page.keyboard.press("Enter");
      await ask(page).getByText("Quantity: 3 → 35", { exact: true }).waitFor();
    });

    test("shows the sum of an amount, and asks about a large one", async () => {
      const page = await openEditor();
      await page.getByLabel("Action").selectOption("Add or subtract");
      await page.getByLabel("Amount").click();
      await page.keyboard.type("-35");
      await effects(page).getByText("Quantity: 40 → 5", { exact: true }).waitFor();
      await page.keyboard.type("0");
      await page.keyboard.press("Enter");
      await page.getByText("The stock of pet 1 is 40, less than the 350 to be removed.").waitFor();
      await page.getByLabel("Amount").fill("360");
      await page.keyboard.press("Enter");
      await ask(page).getByText("Quantity: 40 → 400", { exact: true }).waitFor();
      await press(page, "Save anyway");
      await page.getByText("Pet 1 has the quantity 400 now.").waitFor();
    });
  });

  test.each([
    { action: "Set each to", label: "New quantity", typed: "70", after: [70, 70, 70], asked: [2] },
    {
      action: "Add to or subtract from each",
      label: "Amount",
      typed: "360",
      after: [400, 367, 360],
      asked: [1, 2, 3],
    },
  ])("shows the quantities of several pets, and asks about large changes: $action", async (how) => {
    const page = await open();
    await page.getByRole("checkbox", { name: "Select all pets of the list" }).click();
    await press(page, "Change quantities");
    await page.getByLabel("Action").selectOption(how.action);
    await page.getByLabel(how.label).click();
    await page.keyboard.type(how.typed);
    for (const [index, after] of how.after.entries()) {
      const before = [40, 7, 0][index];
      await shows(effects(page), `Pet ${index + 1}: ${before} → ${after}`);
    }
    await page.keyboard.press("Enter");
    await ask(page).waitFor();
    for (const petId of how.asked) await ask(page).getByText(`Pet ${petId}:`).waitFor();
    await expect
      .poll(() =>
        ask(page)
          .getByText(/^Pet \d/)
          .count(),
      )
      .toBe(how.asked.length);
    expect(await quantityOf(2n)).toBe(7);
    await press(page, "Save anyway");
    await page.getByText("3 quantities are changed.", { exact: true }).waitFor();
    expect(await Promise.all([1n, 2n, 3n].map(quantityOf))).toEqual(how.after);
  });

  test("replaces the suggested quantity of a new pet, and asks about a large one", async () => {
    const page = await open();
    await press(page, "Add a pet");
    await page.keyboard.type("9");
    await page.getByLabel("Quantity", { exact: true }).click();
    await page.keyboard.type("350");
    await effects(page).getByText("Pet 9 (new): 0 → 350").waitFor();
    await page.keyboard.press("Enter");
    await press(page, "Correct it");
    await page.getByLabel("Quantity", { exact: true }).click();
    await page.keyboard.type("35");
    await page.keyboard.press("Enter");
    await page.getByText("Pet 9 is in the stock now.").waitFor();
    expect(await quantityOf(9n)).toBe(35);
  });

  test("orders the typed quantity of the pet of the page, shows what is left, and asks if little is", async () => {
    const page = await open("#/stock/1");
    await press(page, "Order");
    await page.keyboard.type("38");
    await effects(page).getByText("Stock of pet 1: 40 → 2", { exact: true }).waitFor();
    await page.keyboard.press("Enter");
    await ask(page).getByText("Stock of pet 1: 40 → 2", { exact: true }).waitFor();
    expect(sent("PlaceOrder")).toBe(0);
    await press(page, "Correct it");
    await page.keyboard.type("3");
    await page.keyboard.press("Enter");
    await page.getByText(/Order \d+ is placed: 3 of pet 1\./).waitFor();
    expect(await quantityOf(1n)).toBe(37);
  });

  test("replaces the limits of an account, and asks about a digit too many", async () => {
    const page = await open(`#/operator/accounts/${shop}`);
    await press(page, "Change plan");
    await page.getByRole("textbox", { name: "Requests per minute" }).click();
    await page.keyboard.type("6000");
    await effects(page).getByText("Requests per minute: 600 → 6,000").waitFor();
    await page.keyboard.press("Enter");
    await press(page, "Correct it");
    await page.keyboard.type("900");
    await page.keyboard.press("Tab");
    await page.keyboard.type("30000");
    await effects(page).getByText("Requests per day: 20,000 → 30,000").waitFor();
    await page.keyboard.press("Enter");
    await page.getByText("enterprise: 900 per minute, 30,000 per day").waitFor();
  });

  test("replaces the hours of a rotation, and asks about many hours and about none", async () => {
    const page = await open(`#/operator/accounts/${shop}`);
    await press(page, "Rotate key till 1");
    await page.keyboard.type("240");
    await effects(page).getByText("The old key stops working in 10 d.").waitFor();
    await page.keyboard.press("Enter");
    await press(page, "Correct it");
    await page.keyboard.type("0");
    await page.keyboard.press("Enter");
    await ask(page).getByText("The old key stops working at once.").waitFor();
    await press(page, "Correct it");
    await page.keyboard.type("48");
    await page.keyboard.press("Enter");
    await page.getByText("The old key is valid until").waitFor();
    const keys = (await server.stores.accounts.listKeys(shop)) ?? [];
    const leftMs = Math.max(...keys.map(({ expiresAt = 0 }) => expiresAt)) - server.clock.now;
    expect(Math.round(leftMs / 3_600_000)).toBe(48);
  });

  test("shows how long a new key is valid, and asks about a wrong year", async () => {
    const page = await open(`#/operator/accounts/${shop}`);
    await press(page, "New key");
    await page.getByLabel("Name").fill("till 2");
    await page.getByLabel("Last day").fill("2226-11-30");
    await shows(effects(page), /The key expires in \d{5} d/);
    await press(page, "Create key");
    await shows(ask(page), /The key expires in \d{5} d/);
    expect(await server.stores.accounts.listKeys(shop)).toHaveLength(1);
    await press(page, "Create key anyway");
    await page.locator(".secret code").waitFor();
  });

  test("asks about the rows of a file that change a quantity by a factor of ten or more", async () => {
    const page = await open();
    await page.getByText("Live", { exact: true }).waitFor();
    await press(page, "Import a file");
    await chooseFile(
      page,
      "petId,quantity,status\n1,3540,available\n2,8,available\n3,99,sold\n500,7000,sold\n",
    );
    await page.getByRole("button", { name: "Import", exact: true }).dblclick();
    await ask(page).getByText("Line 2, pet 1: 40 → 3,540", { exact: true }).waitFor();
    await expect.poll(() => ask(page).getByText(/^Line/).count()).toBe(1);
    expect(sent("ImportPets")).toBe(0);
    await press(page, "Import anyway");
    await page.getByText(/^4 of 4 rows are imported\. 1 new, 3 existing\./).waitFor();
    expect(await quantityOf(1n)).toBe(3_540);
  });
});
