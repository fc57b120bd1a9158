import fc from "fast-check";
import { expect, test } from "vitest";
import { PetStatus } from "../../gen/inventory/v1/inventory_pb.ts";
import { listedItem } from "../../src/stores/item-message.ts";
import { afterChanges } from "../../src/stores/redis/history/item-changes.ts";
import type { StockChange } from "../../src/stores/stock-change.ts";

const status = PetStatus.SOLD;
const ids = fc.bigInt({ min: 1n, max: 12n });

test("changes are applied in order, and all other items stay the same objects", () => {
  const change = fc.record({ petId: ids, quantityAfter: fc.option(fc.nat(9), { nil: undefined }) });
  fc.assert(
    fc.property(fc.uniqueArray(ids), fc.array(change, { maxLength: 9 }), (before, changes) => {
      const items = before
        .toSorted((a, b) => Number(a - b))
        .map((petId) => listedItem({ petId, quantity: 1, status }));
      const expected = new Map(items.map((item) => [item.petId, item]));
      for (const { petId, quantityAfter: quantity } of changes) {
        if (quantity === undefined) expected.delete(petId);
        else expected.set(petId, listedItem({ petId, quantity, status }));
      }
      const changed = afterChanges(
        items,
        changes.map((each) => ({ ...each, status }) as StockChange),
      );
      const inOrder = [...expected.values()].sort((a, b) => Number(a.petId - b.petId));
      expect(changed).toEqual(inOrder);
      const touched = new Set(changes.map(({ petId }) => petId));
      for (const item of changed) {
        if (!touched.has(item.petId)) expect(items).toContain(item);
      }
    }),
  );
});
