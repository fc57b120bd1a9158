import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { PetStatus, type WatchInventoryResponse } from "../../../gen/inventory/v1/inventory_pb.ts";
import { selectionOf } from "../../../src/services/inventory/selection.ts";
import { listedPages, readMissed, readSnapshot } from "../../../src/services/watch/snapshot.ts";
import { createSnapshotPages } from "../../../src/services/watch/snapshot-pages.ts";
import { listed } from "../../support/stock.ts";
import { storeKinds } from "../../support/stores.ts";
import { kindsOf, stockAfter } from "../../support/watch.ts";

const { AVAILABLE, SOLD } = PetStatus;
const allow = async () => {};
const viewer = { accountId: "aaaaaaaaaaaa", scopes: new Set<never>() };

/** More pets than two messages of a snapshot hold, with gaps between the ids. */
const pets = Array.from({ length: 1_200 }, (_, index) => BigInt(10 * (index + 1)));

const pet = fc.integer({ min: 1, max: 12_500 }).map(BigInt);

/** The pets that the test writes and removes after each message of the snapshot. */
const concurrentChanges = fc.array(
  fc.record({
    written: fc.array(pet, { maxLength: 40 }),
    removed: fc.array(fc.constantFrom(...pets), { maxLength: 40 }),
  }),
  { minLength: 1, maxLength: 5 },
);

describe.each(storeKinds)("a snapshot, in $name", (kind) => {
  const under = kind.use();

  test("has the stock at one version, even if items change while it is read", async () => {
    const { catalog, inventory } = under.stores;
    let quantity = 0;
    const put = (petIds: readonly bigint[]) =>
      catalog.put(
        [...new Set(petIds)].map((petId) => ({ petId, quantity, status: PetStatus.AVAILABLE })),
      );
    await fc.assert(
      fc.asyncProperty(concurrentChanges, async (steps) => {
        for (let at = 0; at < pets.length; at += 300) await put(pets.slice(at, at + 300));
        const received: WatchInventoryResponse[] = [];
        const snapshot = readSnapshot(createSnapshotPages(inventory), allow);
        let next = await snapshot.next();
        for (let part = 0; !next.done; part += 1) {
          received.push(next.value);
          quantity += 1;
          const { written = [], removed = [] } = steps[part] ?? {};
          if (written.length > 0) await put(written);
          for (const petId of removed) await catalog.remove(petId);
          next = await snapshot.next();
        }
        expect(new Set(kindsOf(received))).toEqual(new Set(["snapshot"]));
        for await (const message of readMissed(inventory, next.value, { viewer, allow }))
          received.push(message);
        const stock = new Map((await listed(inventory)).map((item) => [item.petId, item.quantity]));
        expect(stockAfter(received)).toEqual(stock);
      }),
      { numRuns: 10 },
    );
  }, 60_000);

  test("has the selected items at one version, even if others belong to them while it is read", async () => {
    const { catalog, inventory } = under.stores;
    const selection = selectionOf({ status: SOLD, minQuantity: 1 });
    if (!selection) throw new Error("the selection has conditions");
    const aWrite = fc.record({
      petId: pet,
      quantity: fc.nat({ max: 2 }),
      status: fc.constantFrom(SOLD, AVAILABLE),
    });
    const writes = fc.array(fc.uniqueArray(aWrite, { selector: ({ petId }) => petId }), {
      minLength: 2,
      maxLength: 4,
    });
    await fc.assert(
      fc.asyncProperty(writes, concurrentChanges, async (written, steps) => {
        for (let at = 0; at < pets.length; at += 300) {
          await catalog.put(
            pets.slice(at, at + 300).map((petId) => ({ petId, quantity: 1, status: SOLD })),
          );
        }
        const received: WatchInventoryResponse[] = [];
        const pages = listedPages(inventory, selection, createSnapshotPages(inventory));
        const snapshot = readSnapshot(pages, allow, selection);
        let next = await snapshot.next();
        for (let part = 0; !next.done; part += 1) {
          received.push(next.value);
          const items = written[part] ?? [];
          if (items.length > 0) await catalog.put(items);
          for (const petId of steps[part]?.removed ?? []) await catalog.remove(petId);
          // Another call reads a later list, which the next page uses.
          await inventory.list();
          next = await snapshot.next();
        }
        for await (const message of readMissed(inventory, next.value, {
          viewer,
          allow,
          selection,
        })) {
          received.push(message);
        }
        const expected = (await listed(inventory)).filter(
          ({ status, quantity }) => status === SOLD && quantity >= 1,
        );
        expect(selectedAfter(received)).toEqual(
          new Map(expected.map(({ petId, quantity }) => [petId, quantity])),
        );
      }),
      { numRuns: 10 },
    );
  }, 60_000);
});

/** Applies messages as {@link stockAfter} does, but deletes pets that no longer are sold, or have no stock. */
function selectedAfter(received: readonly WatchInventoryResponse[]): Map<bigint, number> {
  const stock = new Map<bigint, number>();
  for (const message of received) {
    for (const [petId, quantity] of stockAfter([message], stock)) stock.set(petId, quantity);
    if (message.event.case === "snapshot") {
      for (const petId of message.event.value.removedPetIds) stock.delete(petId);
    } else if (message.event.case === "change") {
      const { petId, quantityAfter = 0, status } = message.event.value;
      if (quantityAfter === 0 || status !== SOLD) stock.delete(petId);
    }
  }
  return stock;
}
