import type { Page } from "playwright-core";
import { beforeEach } from "vitest";
import { PetStatus } from "../../../gen/inventory/v1/inventory_pb.ts";
import { scopes } from "../../../src/access/scopes.ts";
import { addAccount, addKey, type TestKey } from "../../support/accounts.ts";
import { useServer } from "../../support/server.ts";
import type { StoreKind } from "../../support/stores.ts";
import { type PageOptions, useBrowser } from "../support/browser.ts";

/** The account whose key opens the operator view. */
export const operator = "aaaaaaaaaaaa";
/** The account that operators change. */
export const shop = "bbbbbbbbbbbb";

/** A server with an operator and a shop, whose key is `till 1`, and 10 of pet 7. */
export function useOperatorView(kind: StoreKind) {
  const server = useServer(kind);
  const browser = useBrowser();
  const keys: { operator?: TestKey; shop?: TestKey } = {};

  beforeEach(async () => {
    const { stores } = server;
    await addAccount(stores, { plan: "business" }, operator);
    keys.operator = await addKey(stores, operator, { name: "office", scopes });
    await stores.accounts.createAccount(shop, "Harbor Pets", { plan: "free" });
    keys.shop = await addKey(stores, shop, { name: "till 1" });
    await stores.inventory.put([{ petId: 7n, quantity: 10, status: PetStatus.AVAILABLE }]);
  });

  /** The status of a request with a key. */
  async function statusWith(secret: string): Promise<number> {
    const headers = { authorization: `Bearer ${secret}` };
    const response = await fetch(`${server.url}/v1/inventory`, { headers });
    await response.body?.cancel();
    return response.status;
  }

  return {
    server,
    /** Opens a section of the view, such as `accounts`. */
    open: (path: string, options: PageOptions = {}) =>
      browser.open(server.url, {
        key: keys.operator?.secret ?? "",
        hash: `#/operator/${path}`,
        ...options,
      }),
    statusWith,
    shopSecret: () => keys.shop?.secret ?? "",
    shopAccount: () => server.stores.accounts.getAccount(shop),
    /** Sends requests with the shop's key until it is banned. */
    async banShop(): Promise<void> {
      for (let sent = 0; sent < 121; sent += 1) await statusWith(keys.shop?.secret ?? "");
    },
  };
}

/** Presses a button. */
export async function press(page: Page, name: string | RegExp): Promise<void> {
  await page.getByRole("button", { name, exact: true }).click();
}

/** The rows of tables with a text. */
export function row(page: Page, text: string) {
  return page.getByRole("row").filter({ hasText: text });
}
