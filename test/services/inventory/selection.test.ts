import { expect, test } from "vitest";
import { PetStatus } from "../../../gen/inventory/v1/inventory_pb.ts";
import {
  isConcerned,
  type Selection,
  selectionOf,
} from "../../../src/services/inventory/selection.ts";
import { type StockChange, unknownOrigin } from "../../../src/stores/stock-change.ts";

const { AVAILABLE, SOLD } = PetStatus;
const few = selectionOf({ status: AVAILABLE, maxQuantity: 5, petIds: [3n, 1n] }) as Selection;

/** Returns a change of pet 1, which does not belong to the selection before or after. */
function change(values: Partial<StockChange>): StockChange {
  return {
    ...unknownOrigin,
    version: 2n,
    petId: 1n,
    quantityBefore: 6,
    quantityAfter: 7,
    statusBefore: AVAILABLE,
    status: AVAILABLE,
    previousVersion: 1n,
    changedAt: 0,
    ...values,
  };
}

test.each<[Partial<StockChange>, boolean]>([
  [{}, false],
  [{ quantityBefore: 5 }, true],
  [{ quantityAfter: 5 }, true],
  [{ quantityBefore: 5, petId: 2n }, false],
  [{ quantityBefore: 5, petId: 3n }, true],
  [{ quantityBefore: 5, statusBefore: SOLD, status: SOLD }, false],
  [{ quantityBefore: 5, statusBefore: AVAILABLE, status: SOLD }, true],
  [{ quantityAfter: 5, statusBefore: SOLD, status: AVAILABLE }, true],
  [{ quantityBefore: undefined, statusBefore: undefined }, false],
  [{ quantityBefore: 5, quantityAfter: undefined, status: undefined }, true],
  [{ quantityBefore: 6, quantityAfter: undefined, status: undefined }, false],
])("a change with %o concerns a selection: %s", (values, expected) => {
  expect(isConcerned(few, change(values))).toBe(expected);
});
