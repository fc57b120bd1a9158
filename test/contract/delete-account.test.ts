import { Code } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { reasonOf } from "../../src/contract/errors.ts";
import { placed } from "../support/stock.ts";
import {
  describeApi,
  expectConnectError,
  expectError,
  failure,
  ownAccount,
  useOperator,
} from "./support.ts";

const list = "GET /v1/inventory";

describeApi("DeleteAccount in $name", (contract) => {
  const { admin } = useOperator(contract);
  const { server } = contract;
  const place = (accountId = ownAccount) => placed(server.stores.orders, accountId, 1n, 1);

  test("deletes the account with its keys and orders, and leaves the stock", async () => {
    await contract.newKey();
    for (let i = 0; i < 3; i += 1) await place();
    const { account: before } = await admin.getAccount({ accountId: ownAccount });
    const deleted = await admin.deleteAccount({ accountId: ownAccount });
    expect(deleted).toMatchObject({ account: before, keys: 2, orders: 3n });
    const reply = await contract.send(list);
    expectError(reply, 401, "unauthenticated", "does not exist", "KEY_INVALID");
    const accounts = (await admin.listAccounts({})).accounts.map(({ accountId }) => accountId);
    expect(accounts).toEqual(["cccccccccccc"]);
    expect((await admin.listOrders({})).orders).toEqual([]);
    expect((await server.stores.inventory.get(1n))?.quantity).toBe(9);
  });

  test("with validate_only reports the same and deletes nothing", async () => {
    await place();
    const request = { accountId: ownAccount, validateOnly: true };
    const would = await admin.deleteAccount(request);
    expect(would).toMatchObject({ account: { accountId: ownAccount }, keys: 1, orders: 1n });
    expect((await contract.send(list)).status).toBe(200);
    expect((await admin.listOrders({})).orders).toHaveLength(1);
    const deleted = await admin.deleteAccount({ accountId: ownAccount });
    expect(deleted).toEqual(would);
  });

  test("deletes the rest when an earlier call was interrupted after the account", async () => {
    await place();
    await server.stores.accounts.remove(ownAccount);
    const would = await admin.deleteAccount({ accountId: ownAccount, validateOnly: true });
    const deleted = await admin.deleteAccount({ accountId: ownAccount });
    for (const each of [would, deleted]) {
      expect(each).toMatchObject({ keys: 0, orders: 1n });
      expect(each.account).toBeUndefined();
    }
    const again = await failure(admin.deleteAccount({ accountId: ownAccount }));
    expect(reasonOf(again)).toBe("ACCOUNT_NOT_FOUND");
  });

  test("deletes the holds that are left when an earlier call was interrupted after the orders", async () => {
    const { accounts, holds, inventory, orders } = server.stores;
    await holds.put(ownAccount, "cart", { items: [{ petId: 1n, quantity: 5 }], ttlMs: 60_000 });
    await accounts.remove(ownAccount);
    await orders.deleteAll(ownAccount);
    const would = await admin.deleteAccount({ accountId: ownAccount, validateOnly: true });
    expect(would).toMatchObject({ keys: 0, orders: 0n });
    expect((await inventory.get(1n))?.quantity).toBe(7);
    await admin.deleteAccount({ accountId: ownAccount });
    expect((await inventory.get(1n))?.quantity).toBe(12);
    const again = await failure(admin.deleteAccount({ accountId: ownAccount, validateOnly: true }));
    expect(reasonOf(again)).toBe("ACCOUNT_NOT_FOUND");
  });

  test("refuses the order of a request that was admitted before", async () => {
    const { orders } = server.stores;
    // The account is deleted between the admission of the request and its order.
    const own = orders.place;
    Object.assign(orders, {
      place: async (...args: Parameters<typeof own>) => {
        await admin.deleteAccount({ accountId: ownAccount });
        return own.apply(orders, args);
      },
    });
    const reply = await contract.call("store.v1.StoreService/PlaceOrder", {
      petId: "1",
      quantity: 1,
    });
    expect(reply.status).toBe(401);
    expectConnectError(reply, "unauthenticated", "does not exist");
    expect((await admin.listOrders({})).orders).toEqual([]);
    expect((await server.stores.inventory.get(1n))?.quantity).toBe(12);
  });

  test.each([true, false])(
    "failed_precondition for the account of the calling key (validate_only: %s)",
    async (validateOnly) => {
      const error = await failure(admin.deleteAccount({ accountId: "cccccccccccc", validateOnly }));
      expect(error.code).toBe(Code.FailedPrecondition);
      expect(reasonOf(error)).toBe("OWN_ACCOUNT");
      expect((await admin.listAccounts({})).accounts).toHaveLength(2);
    },
  );

  test.each([true, false])("not_found for an unknown account (%s)", async (validateOnly) => {
    const error = await failure(admin.deleteAccount({ accountId: "zzzzzzzzzzzz", validateOnly }));
    expect(error.code).toBe(Code.NotFound);
    expect(reasonOf(error)).toBe("ACCOUNT_NOT_FOUND");
  });
});
