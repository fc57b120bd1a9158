import type { Page } from "playwright-core";
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
  };
}

export async function press(page: Page, name: string | RegExp): Promise<void> {
  await page.getByRole("button", { name, exact: true }).click();
}

export function row(page: Page, text: string) {
  return page.getByRole("row").filter({ hasText: text });
}

export const dialog = (page: Page) => page.getByRole("dialog");

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
