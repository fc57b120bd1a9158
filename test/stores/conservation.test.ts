import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PetStatus } from "../../gen/inventory/v1/inventory_pb.ts";
import { HoldState, OrderStatus } from "../../gen/store/v1/store_pb.ts";
import type { Stores } from "../../src/stores/stores.ts";
import { storeKinds } from "../support/stores.ts";

const petIds = [1n, 2n, 3n] as const;
const accountId = "aaaaaaaaaaaa";

/** What a shop knows of its units: how many of each pet stand on the shelf. */
type Shelf = Map<bigint, number>;

/** Does something with the stock, and keeps account of the units that come and go. */
type Step = (stores: Stores, shelf: Shelf, pass: (ms: number) => void) => Promise<void>;

const add = (shelf: Shelf, petId: bigint, units: number) =>
  shelf.set(petId, (shelf.get(petId) ?? 0) + units);

const aPet = fc.constantFrom(...petIds);
const someUnits = fc.integer({ min: 1, max: 6 });
const aHold = fc.constantFrom("cart-1", "cart-2", "cart-3");
const someItems = fc.uniqueArray(fc.record({ petId: aPet, quantity: someUnits }), {
  minLength: 1,
  selector: ({ petId }) => petId,
});
const someCounts = fc.uniqueArray(fc.record({ petId: aPet, counted: fc.nat(30) }), {
  minLength: 1,
  selector: ({ petId }) => petId,
});

/** Makes steps of values. */
const stepsOf = <T>(
  values: fc.Arbitrary<T>,
  take: (value: T, ...given: Parameters<Step>) => Promise<unknown>,
): fc.Arbitrary<Step> =>
  values.map(
    (value) =>
      async (...given) =>
        void (await take(value, ...given)),
  );

const aStep: fc.Arbitrary<Step> = fc.oneof(
  stepsOf(
    fc.tuple(aHold, someItems, fc.constantFrom(1_000, 60_000)),
    ([holdId, items, ttlMs], { holds }) => holds.put(accountId, holdId, { items, ttlMs }),
  ),
  stepsOf(aHold, (holdId, { holds }) => holds.release(accountId, holdId)),
  stepsOf(aHold, async (holdId, { holds }, shelf) => {
    const before = await holds.get(accountId, holdId);
    await holds.confirm(accountId, holdId);
    if (before?.state !== HoldState.ACTIVE) return;
    for (const { petId, quantity } of before.items) add(shelf, petId, -quantity);
  }),
  stepsOf(fc.tuple(aPet, someUnits), async ([petId, quantity], { orders }, shelf) => {
    const outcome = await orders.place(accountId, { petId, quantity });
    if (outcome.kind === "placed") add(shelf, petId, -quantity);
  }),
  stepsOf(fc.nat(5), async (at, { orders }, shelf) => {
    const order = (await orders.list({ accountId, limit: 10 })).orders[at];
    if (!order) return;
    const outcome = await orders.cancel(accountId, order.orderId);
    const isNew = typeof outcome === "object" && order.status !== OrderStatus.CANCELLED;
    if (isNew) add(shelf, order.petId, order.quantity);
  }),
  stepsOf(
    fc.tuple(aPet, fc.integer({ min: -9, max: 9 })),
    async ([petId, delta], { inventory }, shelf) => {
      const outcome = await inventory.change({ petId, delta });
      if (outcome.kind === "changed") add(shelf, petId, delta);
    },
  ),
  {
    weight: 3,
    arbitrary: stepsOf(someCounts, async (counts, { inventory }, shelf) => {
      const outcome = await inventory.count(counts);
      if (outcome.kind !== "changed") return;
      for (const { petId, counted } of counts) shelf.set(petId, counted);
    }),
  },
  stepsOf(fc.constantFrom(500, 1_000, 60_000), async (ms, _, __, pass) => pass(ms)),
  fc.constant<Step>(async ({ holds }) => void (await holds.sweep("a process"))),
);

describe.each(storeKinds)("in $name", (kind) => {
  const under = kind.use();

  test("no unit appears or vanishes, whatever is held, sold, counted or expires", async () => {
    const pass = (ms: number) => {
      under.clock.now += ms;
    };
    await fc.assert(
      fc.asyncProperty(
        fc.array(aStep, { minLength: 5, maxLength: 40, size: "max" }),
        async (steps) => {
          const { stores } = under;
          // The histories share a store: each begins when the holds of the one before have expired.
          pass(60_000);
          await stores.catalog.put(
            petIds.map((petId) => ({ petId, quantity: 20, status: PetStatus.AVAILABLE })),
          );
          const shelf: Shelf = new Map(
            (await stores.inventory.levels({ limit: 3 })).levels.map(
              ({ petId, quantity, held }) => [petId, quantity + held],
            ),
          );
          for (const step of steps) {
            await step(stores, shelf, pass);
            const { levels } = await stores.inventory.levels({ limit: 3 });
            const onHand = levels.map(({ petId, quantity, held }) => [petId, quantity + held]);
            expect(onHand).toEqual([...shelf]);
            expect(levels.every(({ quantity, held }) => quantity >= 0 && held >= 0)).toBe(true);
          }
        },
      ),
      { numRuns: 40 },
    );
  }, 60_000);
});
