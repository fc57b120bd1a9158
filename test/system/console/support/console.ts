import type { Locator, Page } from "playwright-core";
import { beforeEach } from "vitest";
import type { Scope } from "../../../../src/access/scopes.ts";
import type { PutPet } from "../../../../src/stores/catalog-store.ts";
import { addAccount, addKey } from "../../../support/accounts.ts";
import { useServer } from "../../../support/server.ts";
import { memoryKind } from "../../../support/stores.ts";
import { type PageOptions, useBrowser } from "./browser.ts";

/** The account whose key opens the console. */
export const account = "aaaaaaaaaaaa";

interface ConsoleData {
  readonly pets?: readonly PutPet[];
  /** `pro` if absent. */
  readonly plan?: "free" | "pro" | "business";
  /** The scopes of the key; those of a new key if absent. */
  readonly scopes?: readonly Scope[];
  /** Settings of the server that differ from their defaults. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** Offers a server, an account with a key, and pages of the console. It does not depend on the store, so one is enough. */
export function useConsole({ pets = [], plan = "pro", scopes, environment }: ConsoleData = {}) {
  const server = useServer(memoryKind, environment);
  const browser = useBrowser();
  const own = { key: "", keyId: "" };

  beforeEach(async () => {
    const { stores } = server;
    for (let first = 0; first < pets.length; first += 1_000) {
      await stores.catalog.put(pets.slice(first, first + 1_000));
    }
    await addAccount(stores, { plan }, account);
    const { secret, keyId } = await addKey(stores, account, scopes && { scopes: [...scopes] });
    Object.assign(own, { key: secret, keyId });
  });

  return {
    server,
    browser,
    /** The key of the account, and its id. */
    own,
    open: (hash = "#/stock", options: PageOptions = {}) =>
      browser.open(server.url, { key: own.key, hash, ...options }),
    quantityOf: async (petId: bigint) => (await server.stores.inventory.get(petId))?.quantity,
    /** Holds units of a pet for the account, as `cart-7`. */
    hold: (petId: bigint, quantity: number, ttlMs = 600_000) =>
      server.stores.holds.put(account, "cart-7", { items: [{ petId, quantity }], ttlMs }),
  };
}

export async function press(page: Page, name: string | RegExp): Promise<void> {
  await page.getByRole("button", { name, exact: true }).click();
}

export function row(page: Page, text: string | RegExp) {
  return page.getByRole("row").filter({ hasText: text });
}

export const dialog = (page: Page) => page.getByRole("dialog");

/** Waits until a part of a page shows a text. */
export const shows = (part: Page | Locator, text: string | RegExp) =>
  part.getByText(text).waitFor();

/** Chooses a CSV file with a content. */
export function chooseFile(page: Page, content: string | Buffer, name = "pets.csv"): Promise<void> {
  const file = { name, mimeType: "text/csv", buffer: Buffer.from(content) };
  return page.getByLabel(/^File/).setInputFiles(file);
}

/** Loses the response of the first call of a method. @returns the number of calls so far */
export async function loseFirst(page: Page, method: string): Promise<() => number> {
  let calls = 0;
  await page.route(`**/${method}`, async (route) => {
    calls += 1;
    if (calls !== 1) return route.continue();
    await route.fetch();
    await route.abort();
  });
  return () => calls;
}
