import { Code } from "@connectrpc/connect";
import { expect, test, vi } from "vitest";
import type { AccountOrder } from "../../gen/admin/v1/admin_pb.ts";
import { OrderStatus } from "../../gen/store/v1/store_pb.ts";
import { reasonOf } from "../../src/contract/errors.ts";
import { placed } from "../support/stock.ts";
import { describeApi, expectFailure, failure, ownAccount, useOperator } from "./support.ts";

const other = "bbbbbbbbbbbb";
const operatorAccount = "cccccccccccc";

describeApi("orders for operators in $name", (contract) => {
  const operator = useOperator(contract);
  const { admin } = operator;

  /** Places an order for each of the accounts, in this order. @returns their ids */
  async function place(...accountIds: string[]): Promise<bigint[]> {
    const ids: bigint[] = [];
    for (const accountId of accountIds) {
      ids.push((await placed(contract.server.stores.orders, accountId, 1n, 1)).orderId);
    }
    return ids;
  }

  const idsOf = (orders: readonly AccountOrder[]) =>
    orders.map(({ accountId, order }) => `${order?.orderId} ${accountId}`);

  test("ListOrders returns the orders of all accounts, newest first, in pages", async () => {
    await contract.newAccount(other, { plan: "pro" });
    const [one, two, three] = await place(ownAccount, other, ownAccount);
    const all = await admin.listOrders({});
    const expected = [`${three} ${ownAccount}`, `${two} ${other}`, `${one} ${ownAccount}`];
    expect(idsOf(all.orders)).toEqual(expected);
    expect(all.nextPageToken).toBe("");
    const first = await admin.listOrders({ pageSize: 2 });
    expect(idsOf(first.orders)).toEqual(expected.slice(0, 2));
    const last = await admin.listOrders({ pageSize: 2, pageToken: first.nextPageToken });
    expect(idsOf(last.orders)).toEqual(expected.slice(2));
    expect(last.nextPageToken).toBe("");
  });

  test("ListOrders returns only those of an account, and only those with a status", async () => {
    await contract.newAccount(other, { plan: "pro" });
    const [one, two = 0n, three, four] = await place(ownAccount, other, ownAccount, other);
    await contract.server.stores.orders.cancel(other, two);
    const own = await admin.listOrders({ accountId: ownAccount });
    expect(idsOf(own.orders)).toEqual([`${three} ${ownAccount}`, `${one} ${ownAccount}`]);
    const cancelled = await admin.listOrders({ status: OrderStatus.CANCELLED });
    expect(idsOf(cancelled.orders)).toEqual([`${two} ${other}`]);
    const both = { accountId: other, status: OrderStatus.PLACED };
    expect(idsOf((await admin.listOrders(both)).orders)).toEqual([`${four} ${other}`]);
    expect((await admin.listOrders({ accountId: "zzzzzzzzzzzz" })).orders).toEqual([]);
    const { orderId } = await placed(contract.server.stores.orders, other, 1n, 1, {}, "cart 7");
    const ofCart = await admin.listOrders({ reference: "cart 7" });
    expect(idsOf(ofCart.orders)).toEqual([`${orderId} ${other}`]);
    expect((await admin.listOrders({ ...both, reference: "cart" })).orders).toEqual([]);
  });

  test.each([{ accountId: other }, { status: OrderStatus.PLACED }, { reference: "cart" }])(
    "a page token of ListOrders belongs to the filter %j",
    async (filter) => {
      await contract.newAccount(other, { plan: "pro" });
      for (let at = 0; at < 2; at++) {
        await placed(contract.server.stores.orders, other, 1n, 1, {}, "cart");
      }
      const { nextPageToken: pageToken } = await admin.listOrders({ ...filter, pageSize: 1 });
      expect((await admin.listOrders({ ...filter, pageToken })).orders).toHaveLength(1);
      const call = admin.listOrders({ pageToken });
      await expectFailure(call, Code.InvalidArgument, "another selection");
    },
  );

  test.each([1, 2, 3])(
    "ListOrders returns every order with a status once, in pages of %i",
    async (pageSize) => {
      const ids = await place(...Array.from({ length: 9 }, () => ownAccount));
      const approved = [8, 4, 3, 0].map((at) => ids[at] ?? 0n);
      for (const orderId of approved) {
        await contract.server.stores.orders.advance(ownAccount, orderId, OrderStatus.APPROVED);
      }
      const found: AccountOrder[] = [];
      let pageToken = "";
      do {
        const page = await admin.listOrders({ pageSize, pageToken, status: OrderStatus.APPROVED });
        expect(page.orders.length).toBeLessThanOrEqual(pageSize);
        found.push(...page.orders);
        pageToken = page.nextPageToken;
      } while (pageToken !== "");
      expect(found.map(({ order }) => order?.orderId)).toEqual(approved);
    },
  );

  test.each([
    [{ pageSize: 0 }, "page_size"],
    [{ pageSize: 1_001 }, "page_size"],
    [{ pageToken: "x" }, "page_token"],
    [{ accountId: "x" }, "account_id"],
    [{ status: 9 as OrderStatus }, "status"],
    [{ reference: "x".repeat(101) }, "reference"],
  ])("invalid_argument for %j", async (request, field) => {
    await expectFailure(admin.listOrders(request), Code.InvalidArgument, field);
  });

  test("CancelOrder cancels another account's order and returns its quantity, once", async () => {
    const [orderId = 0n] = await place(ownAccount);
    for (let i = 0; i < 2; i += 1) {
      const { order } = await admin.cancelOrder({ accountId: ownAccount, orderId });
      expect(order).toMatchObject({ orderId, status: OrderStatus.CANCELLED });
    }
    const { inventory } = contract.server.stores;
    expect((await inventory.get(1n))?.quantity).toBe(12);
    const history = await inventory.changes({ petId: 1n, limit: 1 });
    expect(history?.changes).toMatchObject([
      { accountId: operatorAccount, keyId: operator.key.keyId, reference: String(orderId) },
    ]);
    const own = await contract.send("GET /v1/inventory/1/changes?pageSize=1");
    expect(JSON.parse(own.body)).toMatchObject({
      changes: [{ accountId: "", keyId: "", requestId: "" }],
    });
  });

  test("ListOrders with a status and small pages reads many orders at once", async () => {
    const { orders } = contract.server.stores;
    await place(...Array.from({ length: 12 }, () => ownAccount));
    const list = vi.spyOn(orders, "list");
    await admin.listOrders({ pageSize: 1, status: OrderStatus.DELIVERED });
    expect(list).toHaveBeenCalledTimes(1);
    list.mockRestore();
  });

  test("not_found when the account has no such order", async () => {
    const [own = 0n] = await place(ownAccount);
    for (const [accountId, orderId] of [
      [ownAccount, own + 1n],
      ["cccccccccccc", own],
    ] as const) {
      const error = await failure(admin.cancelOrder({ accountId, orderId }));
      expect(error.code).toBe(Code.NotFound);
      expect(reasonOf(error)).toBe("ORDER_NOT_FOUND");
    }
  });
});
