import { describe, expect, it } from "vitest";
import { PetStatus } from "../../gen/inventory/v1/inventory_pb.ts";
import { OrderStatus } from "../../gen/store/v1/store_pb.ts";
import { deletedAccountTtlMs } from "../../src/stores/order-store.ts";
import { placed } from "../support/stock.ts";
import { storeKinds } from "../support/stores.ts";

const alice = "aaaaaaaaaaaa";
const bob = "bbbbbbbbbbbb";
const pet = 5n;

describe.each(storeKinds)("orders of all accounts in $name", ({ use }) => {
  const under = use();

  /** Places an order for each of the accounts, in this order. @returns their ids */
  async function place(...accountIds: string[]): Promise<bigint[]> {
    await under.stores.inventory.put([
      { petId: pet, quantity: 1_000, status: PetStatus.AVAILABLE },
    ]);
    const ids: bigint[] = [];
    for (const accountId of accountIds) {
      ids.push((await placed(under.stores.orders, accountId, pet, 1)).orderId);
    }
    return ids;
  }

  async function listAll(limit: number): Promise<[bigint, string][][]> {
    const pages: [bigint, string][][] = [];
    let before: bigint | undefined;
    do {
      const { orders, next } = await under.stores.orders.listAll(before, limit);
      pages.push(orders.map(({ orderId, accountId }) => [orderId, accountId]));
      before = next;
    } while (before !== undefined);
    return pages;
  }

  it("have the values of the orders, with their current status", async () => {
    const [ofAlice = 0n, ofBob = 0n] = await place(alice, bob);
    await under.stores.orders.advance(alice, ofAlice, OrderStatus.APPROVED);
    await under.stores.orders.cancel(bob, ofBob);
    const own = await under.stores.orders.get(alice, ofAlice);
    const others = await under.stores.orders.get(bob, ofBob);
    expect(await under.stores.orders.listAll(undefined, 9)).toEqual({
      orders: [
        { ...others, accountId: bob, status: OrderStatus.CANCELLED },
        { ...own, accountId: alice, status: OrderStatus.APPROVED },
      ],
      next: undefined,
    });
  });

  it("are none before the first order", async () => {
    expect(await listAll(1)).toEqual([[]]);
    expect(await under.stores.orders.count(alice)).toBe(0);
    expect(await under.stores.orders.deleteAll(alice)).toBe(0);
  });

  it("are deleted with their account, and no others", async () => {
    await place(bob);
    const more = Array.from({ length: 599 }, (_, at) => (at < 400 ? alice : bob));
    await Promise.all(more.map((accountId) => placed(under.stores.orders, accountId, pet, 1)));
    const quantity = (await under.stores.inventory.get(pet))?.quantity;
    expect(await under.stores.orders.count(alice)).toBe(400);
    expect(await under.stores.orders.deleteAll(alice)).toBe(400);
    expect(await under.stores.orders.count(alice)).toBe(0);
    expect(await under.stores.orders.list(alice, undefined, 9)).toEqual({
      orders: [],
      more: false,
    });
    const [page = []] = await listAll(1_000);
    expect(page).toHaveLength(200);
    expect(new Set(page.map(([, accountId]) => accountId))).toEqual(new Set([bob]));
    expect((await under.stores.inventory.get(pet))?.quantity).toBe(quantity);
    expect(await under.stores.orders.deleteAll(alice)).toBe(0);
  });

  it("cannot be placed by an account in the hour after its orders were deleted", async () => {
    const [, ofBob = 0n] = await place(alice, bob);
    await under.stores.orders.deleteAll(alice);
    under.clock.now += deletedAccountTtlMs - 1;
    const refused = { kind: "no_account", replayed: false };
    expect(await under.stores.orders.place(alice, pet, 1)).toEqual(refused);
    expect(await listAll(9)).toEqual([[[ofBob, bob]]]);
    under.clock.now += 1;
    expect((await placed(under.stores.orders, alice, pet, 1)).orderId).toBeGreaterThan(ofBob);
  });

  it("leave none behind when an account is deleted while it places orders", async () => {
    const [ofBob = 0n] = await place(bob);
    const places = Array.from({ length: 400 }, () => under.stores.orders.place(alice, pet, 1));
    const deleted = under.stores.orders.deleteAll(alice);
    const more = Array.from({ length: 100 }, () => under.stores.orders.place(alice, pet, 1));
    await Promise.all([...places, deleted, ...more]);
    expect(await under.stores.orders.count(alice)).toBe(0);
    expect(await listAll(9)).toEqual([[[ofBob, bob]]]);
  });
});
