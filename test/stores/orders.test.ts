import { describe, expect, it } from "vitest";
import { PetStatus } from "../../gen/inventory/v1/inventory_pb.ts";
import { OrderStatus } from "../../gen/store/v1/store_pb.ts";
import { maxQuantity } from "../../src/stores/inventory-store.ts";
import type { OrderRecord } from "../../src/stores/order-store.ts";
import { placed } from "../support/stock.ts";
import { storeKinds } from "../support/stores.ts";

const { CANCELLED } = OrderStatus;
const alice = "aaaaaaaaaaaa";
const bob = "bbbbbbbbbbbb";

describe.each(storeKinds)("order store in $name", ({ use }) => {
  const under = use();

  async function stock(quantity: number, petId = 5n) {
    await under.stores.inventory.put([{ petId, quantity, status: PetStatus.PENDING }]);
  }

  async function quantity(petId = 5n) {
    return (await under.stores.inventory.get(petId))?.quantity;
  }

  async function place(accountId: string, wanted: number, petId = 5n): Promise<OrderRecord> {
    return placed(under.stores.orders, accountId, petId, wanted);
  }

  async function ordersOf(accountId: string) {
    return (await under.stores.orders.list(accountId, undefined, 100)).orders;
  }

  it("never oversells to concurrent orders", async () => {
    await stock(30);
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, () => under.stores.orders.place(alice, 5n, 1)),
    );
    expect(outcomes.filter(({ kind }) => kind === "placed")).toHaveLength(30);
    expect(outcomes.at(-1)).toEqual({ kind: "too_small", quantity: 0, replayed: false });
    expect(await quantity()).toBe(0);
    expect(await ordersOf(alice)).toHaveLength(30);
  });

  it("cancels an order whose pet was removed, without adding the pet again", async () => {
    await stock(10);
    const order = await place(alice, 4);
    await under.stores.inventory.remove(5n);
    expect(await under.stores.orders.cancel(alice, order.orderId)).toEqual({
      ...order,
      status: CANCELLED,
    });
    expect(await quantity()).toBeUndefined();
  });

  it("does not cancel an order if the stock would exceed the largest quantity", async () => {
    await stock(10);
    const order = await place(alice, 4);
    await stock(maxQuantity - 3);
    expect(await under.stores.orders.cancel(alice, order.orderId)).toBe("too_much_stock");
    expect(await quantity()).toBe(maxQuantity - 3);
    expect(await ordersOf(alice)).toEqual([order]);
    await stock(maxQuantity - 4);
    await under.stores.orders.cancel(alice, order.orderId);
    expect(await quantity()).toBe(maxQuantity);
  });

  it("lists every order of the account once, page by page, newest first, while others are placed and changed", async () => {
    await stock(100);
    const { orders } = under.stores;
    const ids: bigint[] = [];
    for (let i = 0; i < 7; i++) {
      ids.unshift((await place(alice, 1)).orderId);
      await place(bob, 1);
    }
    const listed: bigint[] = [];
    for (let more = true; more; ) {
      const page = await orders.list(alice, listed.at(-1), 3);
      listed.push(...page.orders.map(({ orderId }) => orderId));
      more = page.more;
      await place(alice, 1);
      await orders.cancel(alice, ids[3] as bigint);
    }
    expect(listed).toEqual(ids);
  });

  it("has no page after one that ends with the oldest order", async () => {
    await stock(10);
    const { orderId } = await place(alice, 1);
    for (let i = 0; i < 2; i++) await place(alice, 1);
    const { orders } = under.stores;
    expect(await orders.list(alice, undefined, 3)).toMatchObject({
      orders: [{}, {}, {}],
      more: false,
    });
    expect(await orders.list(alice, orderId, 3)).toEqual({ orders: [], more: false });
  });
});
