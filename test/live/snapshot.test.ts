import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { PetStatus, type WatchInventoryResponse } from "../../gen/inventory/v1/inventory_pb.ts";
import { tellMissed, tellSnapshot } from "../../src/live/snapshot.ts";
import { listed } from "../support/stock.ts";
import { storeKinds } from "../support/stores.ts";
import { kindsTold, stockTold } from "../support/watch.ts";

const viewer = { accountId: "aaaaaaaaaaaa", scopes: new Set<never>() };

/** More than two parts of a snapshot hold, with room between the ids. */
const pets = Array.from({ length: 1_200 }, (_, index) => BigInt(10 * (index + 1)));

const pet = fc.integer({ min: 1, max: 12_500 }).map(BigInt);

/** Pets that are written, and pets that are removed, after each part. */
const meanwhile = fc.array(
  fc.record({
    written: fc.array(pet, { maxLength: 40 }),
    removed: fc.array(fc.constantFrom(...pets), { maxLength: 40 }),
  }),
  { minLength: 1, maxLength: 5 },
);

describe.each(storeKinds)("a snapshot, in $name", (kind) => {
  const under = kind.use();

  it("is the stock at one version, whatever is changed while it is read", async () => {
    const { inventory } = under.stores;
    let quantity = 0;
    const put = (petIds: readonly bigint[]) =>
      inventory.put(
        [...new Set(petIds)].map((petId) => ({ petId, quantity, status: PetStatus.AVAILABLE })),
      );
    await fc.assert(
      fc.asyncProperty(meanwhile, async (steps) => {
        for (let at = 0; at < pets.length; at += 300) await put(pets.slice(at, at + 300));
        const told: WatchInventoryResponse[] = [];
        const snapshot = tellSnapshot(inventory);
        let next = await snapshot.next();
        for (let part = 0; !next.done; part += 1) {
          told.push(next.value);
          quantity += 1;
          const { written = [], removed = [] } = steps[part] ?? {};
          if (written.length > 0) await put(written);
          for (const petId of removed) await inventory.remove(petId);
          next = await snapshot.next();
        }
        expect(new Set(kindsTold(told))).toEqual(new Set(["snapshot"]));
        for await (const message of tellMissed(inventory, next.value, viewer)) told.push(message);
        const stock = new Map((await listed(inventory)).map((item) => [item.petId, item.quantity]));
        expect(stockTold(told)).toEqual(stock);
      }),
      { numRuns: 10 },
    );
  }, 60_000);
});
