import { beforeEach } from "vitest";
import { PetStatus } from "../../../../gen/inventory/v1/inventory_pb.ts";
import { scopes } from "../../../../src/access/scopes.ts";
import { addKey } from "../../../support/accounts.ts";
import type { PageOptions } from "../support/browser.ts";
import { account, useConsole } from "../support/console.ts";

/** The account whose key opens the operator view. */
export const operator = account;
/** The account that operators change. */
export const shop = "bbbbbbbbbbbb";

/** A server with an operator and a shop, whose key is `till 1`, and 10 of pet 7. */
export function useOperatorView() {
  const pets = [{ petId: 7n, quantity: 10, status: PetStatus.AVAILABLE }];
  const { server, open } = useConsole({ pets, plan: "business", scopes });
  const own = { secret: "" };

  beforeEach(async () => {
    const { stores } = server;
    await stores.accounts.createAccount(shop, "Harbor Pets", { plan: "free" });
    own.secret = (await addKey(stores, shop, { name: "till 1" })).secret;
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
    open: (path: string, options: PageOptions = {}) => open(`#/operator/${path}`, options),
    statusWith,
    shopSecret: () => own.secret,
    shopAccount: () => server.stores.accounts.getAccount(shop),
    /** Sends requests with the shop's key until it is banned. */
    async banShop(): Promise<void> {
      for (let sent = 0; sent < 121; sent += 1) await statusWith(own.secret);
    },
  };
}
