import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { scopes } from "../../../src/access/scopes.ts";
import { addKey } from "../../support/accounts.ts";
import { violations } from "./support/accessibility.ts";
import { screens } from "./support/browser.ts";
import { account, chooseFile, dialog, press, shows, useConsole } from "./support/console.ts";

const { server, browser, open } = useConsole({ scopes });

test.each(["desktop", "phone"] as const)(
  "an empty stock says what to do next, and its template can be imported: %s",
  async (screen) => {
    const page = await open("#/stock", { viewport: screens[screen] });
    const empty = page.getByRole("region", { name: "No pets" });
    await empty.getByRole("button", { name: "Add the first pet" }).waitFor();
    expect(await violations(page)).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(screens[screen].width);
    const downloading = page.waitForEvent("download");
    await press(page, "Download a template");
    const template = await downloading;
    expect(template.suggestedFilename()).toMatch(/^pets-template-\d{4}-\d\d-\d\d\.csv$/);
    await press(page, "Import pets");
    expect(await violations(page)).toEqual([]);
    const content = await readFile(await template.path());
    await chooseFile(page, content, template.suggestedFilename());
    await shows(dialog(page), /^2 good rows: 2 new pets/);
    await press(page, "Import");
    await shows(dialog(page), /^2 of 2 rows are imported\./);
    await dialog(page).getByText("Close", { exact: true }).click();
    await page.getByText("2 pets", { exact: true }).waitFor();
    await page.getByLabel("Find a pet").fill("77");
    await press(page, "Show all pets");
    await page.getByText("2 pets", { exact: true }).waitFor();
  },
);

test("a view that a key may not see says which scope it needs", async () => {
  const { secret } = await addKey(server.stores, account, { scopes: ["store:read"] });
  const page = await browser.open(server.url, { key: secret, hash: "#/stock" });
  await page.getByRole("heading", { name: "Stock" }).waitFor();
  await page.getByText("a key needs the scope inventory:read").waitFor();
  await expect.poll(() => page.getByRole("link", { name: "Stock" }).count()).toBe(0);
});
