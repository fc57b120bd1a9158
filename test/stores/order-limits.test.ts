import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { PetStatus } from "../../gen/inventory/v1/inventory_pb.ts";
import { OrderStatus } from "../../gen/store/v1/store_pb.ts";
import { dayMs } from "../../src/common/durations.ts";
import { mostOrdersRemoved, orderRemovalPauseMs } from "../../src/stores/order-store.ts";
import { nthVersion, storeKinds } from "../support/stores.ts";

const alice = "aaaaaaaaaaaa";
const bob = "bbbbbbbbbbbb";

describe.each(storeKinds)("orders with limits in $name", (kind) => {
  const limits = { mostOpen: 5, keptMs: 90 * dayMs };
  const under = kind.use(undefined, limits);

  async function stock(quantity = 1_000): Promise<void> {
    const pets = Array.from({ length: 10 }, (_, at) => BigInt(at + 1));
    await under.stores.catalog.put(
      pets.map((petId) => ({ petId, quantity, status: PetStatus.AVAILABLE })),
    );
  }

  async function place(accountId = alice): Promise<bigint> {
    const outcome = await under.stores.orders.place(accountId, { petId: 1n, quantity: 1 });
    if (outcome.kind !== "placed") throw new Error(outcome.kind);
    return outcome.order.orderId;
  }

  async function ended(accountId = alice): Promise<bigint> {
    const orderId = await place(accountId);
    await under.stores.orders.cancel(accountId, orderId);
    return orderId;
  }

  async function idsOf(accountId = alice): Promise<bigint[]> {
    const { orders } = await under.stores.orders.list({ accountId, limit: 1_000 });
    return orders.map(({ orderId }) => orderId);
  }

  async function allIds(): Promise<bigint[]> {
    const { orders } = await under.stores.orders.list({ limit: 1_000 });
    return orders.map(({ orderId }) => orderId);
  }

  /** Removes all orders that are kept no longer. */
  async function removeAll(): Promise<void> {
    while (await under.stores.orders.removeEnded()) await delay(orderRemovalPauseMs);
  }

  const tooMany = { kind: "order_limit", most: 5, replayed: false };

  test("an account has so many open orders, and no more, whatever their status", async () => {
    await stock();
    const ids = [];
    for (let at = 0; at < 5; at++) ids.push(await place());
    await under.stores.orders.advance(alice, ids[0] ?? 0n, OrderStatus.APPROVED);
    const before = await under.stores.inventory.list();
    expect(await under.stores.orders.place(alice, { petId: 1n, quantity: 1 })).toEqual(tooMany);
    // Before the pet and its stock are looked at.
    expect(await under.stores.orders.place(alice, { petId: 404n, quantity: 1 })).toEqual(tooMany);
    expect(await under.stores.orders.place(alice, { petId: 1n, quantity: 5_000 })).toEqual(tooMany);
    expect(await under.stores.inventory.list()).toEqual(before);
    expect(await idsOf()).toHaveLength(5);
    await place(bob);

    await under.stores.orders.advance(alice, ids[0] ?? 0n, OrderStatus.DELIVERED);
    await place();
    expect(await under.stores.orders.place(alice, { petId: 1n, quantity: 1 })).toEqual(tooMany);
    await under.stores.orders.cancel(alice, ids[1] ?? 0n);
    await under.stores.orders.cancel(alice, ids[1] ?? 0n);
    await place();
    expect(await under.stores.orders.place(alice, { petId: 1n, quantity: 1 })).toEqual(tooMany);
  });

  test("concurrent orders stay within the limit", async () => {
    await stock();
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, () =>
        under.stores.orders.place(alice, { petId: 1n, quantity: 1 }),
      ),
    );
    expect(outcomes.filter(({ kind }) => kind === "placed")).toHaveLength(5);
    expect(outcomes.filter(({ kind }) => kind === "order_limit")).toHaveLength(15);
  });

  test("ended orders can be read for so long after their end, open ones for ever", async () => {
    await stock();
    const [open, delivered, cancelled] = [await place(), await place(), await place()];
    const late = await place();
    under.clock.now += 30 * dayMs;
    const order = await under.stores.orders.advance(alice, delivered, OrderStatus.DELIVERED);
    for (const orderId of [cancelled, late]) {
      under.clock.now += 1_000;
      await under.stores.orders.cancel(alice, orderId);
    }
    // A repetition does not keep them longer.
    under.clock.now += 60 * dayMs;
    expect(await under.stores.orders.advance(alice, delivered, OrderStatus.DELIVERED)).toEqual(
      order,
    );
    await under.stores.orders.cancel(alice, cancelled);

    under.clock.now += 30 * dayMs - 2_001;
    await removeAll();
    expect(await idsOf()).toEqual([late, cancelled, delivered, open]);
    under.clock.now += 1;
    await removeAll();
    expect(await idsOf()).toEqual([late, cancelled, open]);
    under.clock.now += 1_000;
    await removeAll();
    expect(await idsOf()).toEqual([late, open]);
    under.clock.now += 1_000;
    await removeAll();
    expect(await idsOf()).toEqual([open]);
    expect(await allIds()).toEqual([open]);
    expect(await under.stores.orders.get(alice, delivered)).toBeUndefined();
    expect(await under.stores.orders.cancel(alice, delivered)).toBe("no_order");
    expect(await under.stores.orders.count(alice)).toBe(1);
    under.clock.now += 1_000 * dayMs;
    await removeAll();
    expect(await idsOf()).toEqual([open]);
  });

  test("a removal takes a bounded number, of all accounts, and changes no stock", async () => {
    await stock();
    const removed = mostOrdersRemoved + 20;
    for (let at = 0; at < removed; at++) await ended(at % 7 === 0 ? bob : alice);
    const kept = await place(bob);
    const before = await under.stores.inventory.list();
    under.clock.now += 90 * dayMs;
    expect(await under.stores.orders.removeEnded()).toBe(true);
    expect((await allIds()).length).toBeGreaterThanOrEqual(1 + removed - mostOrdersRemoved);
    await removeAll();
    expect(await allIds()).toEqual([kept]);
    expect(await idsOf()).toEqual([]);
    expect(await under.stores.inventory.list()).toEqual(before);
    expect(before.version).toBe(nthVersion(10 + 2 * removed + 1));
    // Open orders are counted rightly afterwards.
    for (let at = 0; at < 4; at++) await place(bob);
    expect(await under.stores.orders.place(bob, { petId: 1n, quantity: 1 })).toEqual(tooMany);
  });

  test("an account that is deleted and its ended orders leave nothing behind", async () => {
    await stock();
    await ended();
    await ended(bob);
    expect(await under.stores.orders.deleteAll(alice)).toBe(1);
    under.clock.now += 90 * dayMs;
    await removeAll();
    expect(await allIds()).toEqual([]);
    for (let at = 0; at < 5; at++) await place();
    expect(await under.stores.orders.place(alice, { petId: 1n, quantity: 1 })).toEqual(tooMany);
  });

  test("an order may be removed if it is older than ended orders are kept", async () => {
    const at = (now: number) => BigInt(now) * 1_000n;
    const oldest = under.clock.now - limits.keptMs;
    expect(under.stores.orders.mayBeRemoved(at(oldest))).toBe(true);
    expect(under.stores.orders.mayBeRemoved(at(oldest) + 1n)).toBe(false);
  });
});

describe.each(storeKinds)("orders without limits in $name", (kind) => {
  const under = kind.use(undefined, { mostOpen: 100_000, keptMs: undefined });

  test("ended orders are kept for ever", async () => {
    await under.stores.catalog.put([{ petId: 1n, quantity: 5, status: PetStatus.AVAILABLE }]);
    const outcome = await under.stores.orders.place(alice, { petId: 1n, quantity: 1 });
    if (outcome.kind !== "placed") throw new Error(outcome.kind);
    await under.stores.orders.cancel(alice, outcome.order.orderId);
    under.clock.now += 10_000 * dayMs;
    expect(await under.stores.orders.removeEnded()).toBe(false);
    expect(await under.stores.orders.count(alice)).toBe(1);
    expect(under.stores.orders.mayBeRemoved(1n)).toBe(false);
  });
});
