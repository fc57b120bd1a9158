import { describe, expect, test } from "vitest";
import { ChangeReason, PetStatus } from "../../gen/inventory/v1/inventory_pb.ts";
import { HoldState } from "../../gen/store/v1/store_pb.ts";
import { dayMs } from "../../src/common/durations.ts";
import {
  type Held,
  type HeldItem,
  type HoldQuery,
  type HoldRecord,
  maxHolds,
  mostHoldWork,
} from "../../src/stores/hold-store.ts";
import { maxQuantity } from "../../src/stores/inventory-store.ts";
import { unknownOrigin } from "../../src/stores/stock-change.ts";
import { someTime, storeKinds } from "../support/stores.ts";

const { ACTIVE, CONFIRMED, RELEASED, EXPIRED } = HoldState;
const alice = "aaaaaaaaaaaa";
const bob = "bbbbbbbbbbbb";
const ttlMs = 60_000;
const origin = { ...unknownOrigin, keyId: "key", requestId: "request" };

describe.each(storeKinds)("hold store in $name", ({ use }) => {
  const under = use();

  async function stock(...quantities: readonly number[]): Promise<void> {
    await under.stores.catalog.put(
      quantities.map((quantity, at) => ({
        petId: BigInt(at + 1),
        quantity,
        status: PetStatus.PENDING,
      })),
    );
  }

  async function quantities(): Promise<number[]> {
    return (await under.stores.inventory.list()).items.map(({ quantity }) => quantity);
  }

  /** Items for the pets 1, 2, …; none for a quantity of 0. */
  function itemsOf(...wanted: readonly number[]): HeldItem[] {
    return wanted.flatMap((quantity, at) => {
      return quantity === 0 ? [] : [{ petId: BigInt(at + 1), quantity }];
    });
  }

  function put(accountId: string, holdId: string, items: readonly HeldItem[], ms = ttlMs) {
    return under.stores.holds.put(accountId, holdId, { items, ttlMs: ms }, { origin });
  }

  async function held(holdId: string, ...wanted: readonly number[]): Promise<HoldRecord> {
    const outcome = await put(alice, holdId, itemsOf(...wanted));
    expect(outcome.kind).toBe("held");
    return (outcome as Held).hold;
  }

  async function totals() {
    return under.stores.holds.totals();
  }

  async function newest(limit: number) {
    return (await under.stores.inventory.changes({ limit }))?.changes;
  }

  /** Walks through all pages of a list. @param between runs after each page */
  async function listed(
    query: HoldQuery,
    between = async (_: number) => {},
  ): Promise<HoldRecord[]> {
    const found: HoldRecord[] = [];
    let before: bigint | undefined;
    do {
      const page = await under.stores.holds.list({ ...query, before });
      found.push(...page.holds);
      before = page.next;
      await between(found.length);
    } while (before !== undefined);
    return found;
  }

  test("changes the stock by the difference, so nobody blocks themselves", async () => {
    await stock(5, 5, 5);
    const { life } = await held("cart", 5, 2);
    under.clock.now += 1_000;
    expect(await held("cart", 5, 2)).toMatchObject({ expiresAt: someTime + 1_000 + ttlMs, life });
    expect(await quantities()).toEqual([0, 3, 5]);
    expect(await held("cart", 0, 5, 1)).toMatchObject({ items: itemsOf(0, 5, 1), life });
    expect(await quantities()).toEqual([5, 0, 4]);
    expect(await totals()).toMatchObject({ active: 1, units: 6 });
  });

  test("is ended by a sweep, by one process at a time", async () => {
    await stock(5, 5);
    await held("cart", 4, 1);
    under.clock.now += ttlMs - 1;
    await under.stores.holds.sweep("one");
    expect(await quantities()).toEqual([1, 4]);
    under.clock.now += 1;
    expect(await under.stores.holds.sweep("one")).toBe(0);
    expect(await quantities()).toEqual([5, 5]);
    expect(await newest(2)).toMatchObject([
      { petId: 2n, quantityBefore: 4, quantityAfter: 5, reason: ChangeReason.HOLD_ENDED },
      { petId: 1n, accountId: alice, keyId: "", requestId: "", reference: "cart", note: "" },
    ]);
  });

  test("of an account that was deleted is neither put nor confirmed, and there is no order", async () => {
    await stock(9);
    await held("cart", 2);
    const { orders, holds } = under.stores;
    await orders.deleteAll(alice);
    const gone = { kind: "no_account" };
    expect(await orders.place(alice, { petId: 1n, quantity: 1 })).toMatchObject(gone);
    expect(await put(alice, "other", itemsOf(1))).toMatchObject(gone);
    expect(await holds.confirm(alice, "cart")).toMatchObject(gone);
    expect(await quantities()).toEqual([7]);
  });

  test("is in the history with its id, the key and the request", async () => {
    await stock(5, 5);
    await held("cart", 4, 1);
    await held("cart", 1, 1);
    await under.stores.holds.release(alice, "cart", { origin });
    const hold = { reference: "cart", accountId: alice, keyId: "key", requestId: "request" };
    expect(await newest(5)).toMatchObject([
      { ...hold, petId: 2n, quantityAfter: 5, reason: ChangeReason.HOLD_ENDED },
      { ...hold, petId: 1n, quantityAfter: 5, reason: ChangeReason.HOLD_ENDED },
      { ...hold, petId: 1n, quantityAfter: 4, reason: ChangeReason.HOLD },
      { ...hold, petId: 2n, quantityAfter: 4, reason: ChangeReason.HOLD },
      { ...hold, petId: 1n, quantityAfter: 1, reason: ChangeReason.HOLD },
    ]);
  });

  test("begins a new life when it was released or has expired", async () => {
    await stock(5);
    const first = await held("cart", 4);
    await under.stores.holds.release(alice, "cart");
    const second = await held("cart", 5);
    expect(second.life).toBeGreaterThan(first.life);
    under.clock.now += ttlMs;
    const third = await held("cart", 2);
    expect(third.life).toBeGreaterThan(second.life);
    expect(await newest(2)).toMatchObject([
      { quantityBefore: 5, quantityAfter: 3, reason: ChangeReason.HOLD, keyId: "key" },
      { quantityBefore: 0, quantityAfter: 5, reason: ChangeReason.HOLD_ENDED, keyId: "" },
    ]);
    expect(await totals()).toEqual({ active: 1, units: 2, confirmed: 0, released: 1, expired: 1 });
  });

  test.each<[string, () => Promise<{ kind?: unknown }>]>([
    ["adjustment", () => under.stores.inventory.change({ petId: 1n, delta: -5 })],
    ["batch", () => under.stores.inventory.changeAll([{ petId: 1n, delta: -5 }])],
    ["order", () => under.stores.orders.place(bob, { petId: 1n, quantity: 5 })],
    ["hold", () => put(bob, "cart", itemsOf(5))],
  ])("gives its units to an %s that lacks them, when it is due", async (_, change) => {
    await stock(5, 5);
    await held("one", 2, 5);
    await held("two", 3);
    under.clock.now += ttlMs - 1;
    expect(await change()).not.toMatchObject({
      kind: expect.stringMatching(/^(changed|placed|held)$/),
    });
    under.clock.now += 1;
    expect(await change()).toMatchObject({
      kind: expect.stringMatching(/^(changed|placed|held)$/),
    });
    expect(await quantities()).toEqual([0, 5]);
    expect(await totals()).toMatchObject({ expired: 2 });
  });

  test("names each pet of a batch that is out of bounds, with and without held units", async () => {
    await stock(maxQuantity, 5);
    await held("cart", 10);
    const deltas = [
      { petId: 1n, delta: 1 },
      { petId: 2n, delta: -6 },
    ];
    const tooLarge = { kind: "too_large", quantity: maxQuantity - 10, held: 10 };
    expect(await under.stores.inventory.changeAll(deltas)).toMatchObject({
      kind: "refused",
      refusals: [
        { index: 0, refusal: tooLarge },
        { index: 1, refusal: { kind: "too_small", quantity: 5 } },
      ],
      total: 2,
    });
  });

  test("keeps its units when it is due and nobody lacks them", async () => {
    await stock(5);
    await held("cart", 2);
    under.clock.now += ttlMs;
    await under.stores.orders.place(bob, { petId: 1n, quantity: 3 });
    expect(await quantities()).toEqual([0]);
    expect(await totals()).toMatchObject({ expired: 0 });
  });

  test("leaves no units to an order with more due holds than one script call ends, and its outcome is kept", async () => {
    const count = mostHoldWork + 20;
    await stock(count);
    for (let at = 0; at < count; at++) await held(`cart-${at}`, 1);
    under.clock.now += ttlMs;
    const request = { idempotency: { key: "key", fingerprint: "-" } };
    const place = () => under.stores.orders.place(bob, { petId: 1n, quantity: count }, request);
    const first = await place();
    expect(first).toMatchObject({ kind: "placed", replayed: false });
    expect(await totals()).toMatchObject({ active: 0, units: 0, expired: count });
    expect(await place()).toEqual({ ...first, replayed: true });
  });

  test("leaves no units of any pet of a batch", async () => {
    const count = mostHoldWork + 20;
    await stock(count, 1, count);
    for (let at = 0; at < count; at++) await held(`cart-${at}`, 1, 0, 1);
    const deltas = [
      { petId: 1n, delta: -count },
      { petId: 2n, delta: 2 * count },
      { petId: 3n, delta: -count },
    ];
    const request = { idempotency: { key: "key", fingerprint: "-" } };
    expect(await under.stores.inventory.changeAll(deltas)).toMatchObject({ total: 2 });
    under.clock.now += ttlMs;
    const first = await under.stores.inventory.changeAll(deltas, request);
    expect(first).toMatchObject({ kind: "changed", replayed: false });
    expect(await quantities()).toEqual([0, 1 + 2 * count, 0]);
    expect(await totals()).toMatchObject({ active: 0, units: 0, expired: count });
    const changes = await newest(3);
    expect(changes?.map(({ reason }) => reason)).toEqual(
      Array.from({ length: 3 }, () => ChangeReason.ADJUSTMENT),
    );
    expect(await under.stores.inventory.changeAll(deltas, request)).toEqual({
      ...first,
      replayed: true,
    });
  });

  test("is confirmed or released with many others at once, in several script calls", async () => {
    const ids = Array.from({ length: 60 }, (_, at) => `cart-${at}`);
    await stock(60, 60);
    for (const id of ids) await held(id, 1, 1);
    const { holds, orders } = under.stores;
    const [confirmed, released] = [ids.slice(0, 30), ids.slice(30)];
    const outcomes = await Promise.all([
      ...confirmed.map((id) => holds.confirm(alice, id)),
      ...released.map((id) => holds.release(alice, id)),
    ]);
    expect(outcomes.every(({ kind }) => kind === "held")).toBe(true);
    expect(await quantities()).toEqual([30, 30]);
    expect((await orders.list({ accountId: alice, limit: 100 })).orders).toHaveLength(60);
    expect(await totals()).toEqual({
      ...{ active: 0, units: 0 },
      ...{ confirmed: 30, released: 30, expired: 0 },
    });
  });

  test("never has more units than the largest quantity, together with the stock", async () => {
    await stock(maxQuantity);
    await held("cart", 10);
    const { catalog, inventory, orders } = under.stores;
    const tooLarge = { kind: "too_large", quantity: maxQuantity - 10, held: 10 };
    expect(await inventory.change({ petId: 1n, delta: 1 })).toMatchObject(tooLarge);
    expect(await inventory.change({ petId: 1n, quantity: maxQuantity - 9 })).toMatchObject(
      tooLarge,
    );
    expect(await inventory.changeAll([{ petId: 1n, quantity: maxQuantity }])).toMatchObject({
      kind: "refused",
      refusals: [{ index: 0, refusal: tooLarge }],
    });
    expect(await inventory.changeAll([{ petId: 1n, delta: 1 }])).toMatchObject({
      kind: "refused",
      refusals: [{ index: 0, refusal: tooLarge }],
    });
    const item = { petId: 1n, quantity: maxQuantity, status: PetStatus.SOLD };
    expect(await catalog.put([item])).toMatchObject({
      kind: "too_large",
      items: [{ index: 0, held: 10 }],
    });
    const placed = await orders.place(bob, { petId: 1n, quantity: 5 });
    expect(placed.kind).toBe("placed");
    await inventory.change({ petId: 1n, delta: 5 });
    const orderId = "order" in placed ? placed.order.orderId : 0n;
    expect(await orders.cancel(bob, orderId)).toBe("too_much_stock");
    expect(await quantities()).toEqual([maxQuantity - 10]);
    under.clock.now += ttlMs;
    const full = { kind: "too_large", quantity: maxQuantity, held: 0 };
    expect(await inventory.change({ petId: 1n, delta: 1 })).toMatchObject(full);
    expect(await inventory.change({ petId: 1n, quantity: maxQuantity })).toMatchObject({
      kind: "changed",
    });
    expect(await quantities()).toEqual([maxQuantity]);
    await inventory.change({ petId: 1n, quantity: 1 });
    await held("cart", 1);
    const updates = [{ petId: 1n, quantity: maxQuantity }];
    expect(await inventory.changeAll(updates)).toMatchObject({ kind: "refused" });
    under.clock.now += ttlMs;
    expect(await inventory.changeAll(updates)).toMatchObject({ kind: "changed" });
  });

  test("a refused import names its first 20 rows, and its key remains free", async () => {
    await stock(...new Array<number>(25).fill(10));
    const some = await held("cart", ...new Array<number>(24).fill(5));
    const { catalog } = under.stores;
    const imported = [maxQuantity, ...new Array<number>(24).fill(maxQuantity - 4)].map(
      (quantity, at) => ({ petId: BigInt(25 - at), quantity, status: PetStatus.SOLD }),
    );
    const idempotency = { key: "import", fingerprint: "first" };
    const refused = {
      kind: "too_large",
      items: Array.from({ length: 20 }, (_, at) => ({ index: at + 1, held: 5 })),
      replayed: false,
    };
    expect(await catalog.put(imported, origin, idempotency)).toEqual(refused);
    expect(await catalog.put(imported, origin, idempotency)).toEqual(refused);
    const corrected = { key: "import", fingerprint: "second" };
    expect(await catalog.put(imported.slice(0, 1), origin, corrected)).toMatchObject({
      updated: 1,
      replayed: false,
    });
    await under.stores.holds.release(alice, some.holdId, { origin });
    expect(await catalog.put(imported, origin, idempotency)).toMatchObject({ kind: "key_reused" });
    const later = { key: "later", fingerprint: "first" };
    expect(await catalog.put(imported, origin, later)).toMatchObject({ updated: 25 });
    expect(await catalog.put(imported, origin, later)).toMatchObject({ replayed: true });
  });

  test("ends one due hold of its own account when this has too many, the one that was due first", async () => {
    await stock(2 * maxHolds);
    await put(bob, "due", itemsOf(1), 500);
    await Promise.all(
      Array.from({ length: maxHolds - 3 }, (_, at) => put(alice, `cart-${at}`, itemsOf(1))),
    );
    await put(alice, "due-third", itemsOf(1), 3_000);
    await put(alice, "due-first", itemsOf(1), 1_000);
    await put(alice, "due-second", itemsOf(1), 2_000);
    // It is due before the others no more.
    await put(alice, "cart-1", itemsOf(1), 100);
    await put(alice, "cart-1", itemsOf(1));
    under.clock.now += 3_000;
    expect(await totals()).toMatchObject({ active: maxHolds + 1, expired: 0 });
    for (const [at, ended] of ["due-first", "due-second", "due-third"].entries()) {
      expect(await put(alice, `more-${at}`, itemsOf(1))).toMatchObject({ kind: "held" });
      expect(await totals()).toMatchObject({ active: maxHolds + 1, expired: at + 1 });
      const [, end] = (await newest(2)) ?? [];
      expect(end).toMatchObject({ accountId: alice, reference: ended });
    }
    expect(await put(alice, "too-many", itemsOf(1))).toEqual({ kind: "limit" });
    expect(await totals()).toMatchObject({ active: maxHolds + 1, expired: 3 });
  });

  test("can be read for a day after its end", async () => {
    await stock(5);
    await held("released", 1);
    await held("expired", 1);
    await under.stores.holds.release(alice, "released");
    under.clock.now += dayMs - 1;
    await under.stores.holds.sweep("one");
    expect(await under.stores.holds.get(alice, "released")).toMatchObject({ items: itemsOf(1) });
    under.clock.now += 1;
    await under.stores.holds.sweep("one");
    expect(await under.stores.holds.get(alice, "released")).toBeUndefined();
    expect(await under.stores.holds.get(alice, "expired")).toMatchObject({ state: EXPIRED });
    under.clock.now += ttlMs;
    await under.stores.holds.sweep("one");
    expect(await under.stores.holds.get(alice, "expired")).toBeUndefined();
  });

  describe("list", () => {
    const states = [ACTIVE, CONFIRMED, RELEASED, EXPIRED];

    const idsOf = async (query: Partial<HoldQuery>) =>
      (await listed({ states, limit: 2, ...query })).map(({ holdId }) => holdId);

    test("has at most 2,500 items in a page, and one hold more", async () => {
      const pets = Array.from({ length: 100 }, (_, at) => 100 + at);
      await stock(...pets);
      for (let at = 0; at < 60; at++) await held(`cart-${at}`, ...pets.map(() => 1));
      const query = { accountId: alice, states, limit: 100 };
      const first = await under.stores.holds.list({ ...query, before: undefined });
      expect(first.holds).toHaveLength(25);
      expect(await idsOf({ accountId: alice, limit: 100 })).toEqual(
        Array.from({ length: 60 }, (_, at) => `cart-${59 - at}`),
      );
    });

    test("has every hold once, page by page, while others begin and end", async () => {
      await stock(100);
      for (let at = 0; at < 7; at++) await held(`cart-${at}`, 1);
      const found = await listed({ accountId: alice, states, limit: 2 }, async (count) => {
        await held(`new-${count}`, 1);
        await under.stores.holds.release(alice, `cart-${count % 7}`);
      });
      expect(found.map(({ holdId }) => holdId)).toEqual(
        [6, 5, 4, 3, 2, 1, 0].map((at) => `cart-${at}`),
      );
    });
  });

  describe("lists of many holds", () => {
    const namesOf = async (query: HoldQuery) =>
      (await listed(query)).map(({ accountId, holdId }) => `${accountId} ${holdId}`);

    /** 340 holds of alice and 20 of bob. Every 100th has a unit of pet 2, and the others of pet 1 or 22. */
    async function fill(): Promise<void> {
      await stock(1_000, 1_000, ...Array.from({ length: 20 }, () => 1_000));
      for (let at = 0; at < 360; at += 1) {
        const petId = at % 100 === 50 ? 2n : at % 2 === 0 ? 1n : 22n;
        const account = at % 18 === 4 ? bob : alice;
        await put(account, `cart-${at}`, [{ petId, quantity: 1 }], at === 250 ? 10 : ttlMs);
        // Those of the middle have ended.
        if (at >= 100 && at < 200) await under.stores.holds.release(account, `cart-${at}`);
      }
      under.clock.now += 10;
    }

    test("are complete, whatever filter leaves out most of them", async () => {
      await fill();
      const ofPet = { petId: 2n, limit: 200 };
      const every = [ACTIVE, CONFIRMED, RELEASED, EXPIRED];
      expect(await namesOf({ ...ofPet, states: every })).toEqual([
        `${alice} cart-350`,
        `${alice} cart-250`,
        `${alice} cart-150`,
        `${alice} cart-50`,
      ]);
      expect(await namesOf({ ...ofPet, states: [ACTIVE] })).toEqual([
        `${alice} cart-350`,
        `${alice} cart-50`,
      ]);
      expect(await namesOf({ ...ofPet, accountId: bob, states: [ACTIVE] })).toEqual([]);
      // It is due, and not swept.
      expect(await namesOf({ ...ofPet, states: [EXPIRED] })).toEqual([`${alice} cart-250`]);
      expect(await namesOf({ limit: 200, states: [EXPIRED] })).toEqual([`${alice} cart-250`]);
      expect(await namesOf({ ...ofPet, states: [RELEASED] })).toEqual([`${alice} cart-150`]);
      expect(await namesOf({ ...ofPet, accountId: bob, states: every })).toEqual([]);
      expect(await namesOf({ limit: 200, petId: 3n, states: every })).toEqual([]);
      // An account whose holds are few, and far from each other.
      const ofBob = Array.from(
        { length: 20 },
        (_, at) => `${bob} cart-${18 * at + 4}`,
      ).toReversed();
      expect(await namesOf({ limit: 200, accountId: bob, states: every })).toEqual(ofBob);
      expect(await namesOf({ limit: 3, accountId: bob, petId: 1n, states: every })).toEqual(ofBob);
    });

    test("have each hold of a pet once, in order, page by page", async () => {
      await fill();
      const active = (petId: number) =>
        Array.from({ length: 360 }, (_, at) => at)
          .filter((at) => (at < 100 || at >= 200) && at % 100 !== 50)
          .filter((at) => at % 2 === (petId === 1 ? 0 : 1))
          .map((at) => `${at % 18 === 4 ? bob : alice} cart-${at}`)
          .toReversed();
      for (const limit of [7, 200]) {
        expect(await namesOf({ limit, petId: 1n, states: [ACTIVE] })).toEqual(active(1));
        expect(await namesOf({ limit, petId: 22n, states: [ACTIVE] })).toEqual(active(22));
      }
    });
  });
});
