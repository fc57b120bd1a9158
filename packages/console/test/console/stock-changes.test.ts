import { describe, expect, test } from "vitest";
import { PetStatus } from "../../../../gen/inventory/v1/inventory_pb.ts";
import { batchRefusal } from "../../src/console/stock/changes/batch-refusal.ts";
import { petsText } from "../../src/console/stock/changes/pets-text.ts";
import { rangeOf, toggled } from "../../src/console/stock/changes/row-range.ts";

const items = [9n, 4n, 7n, 1n].map((petId) => ({
  petId,
  quantity: 1,
  status: PetStatus.AVAILABLE,
}));

describe("a selection of rows", () => {
  test("has a range in the order of the list, in both directions", () => {
    expect(rangeOf(items, 4n, 1n)).toEqual([4n, 7n, 1n]);
    expect(rangeOf(items, 1n, 4n)).toEqual([4n, 7n, 1n]);
  });

  test("has one row when the first one of the range is not shown", () => {
    expect(rangeOf(items, undefined, 7n)).toEqual([7n]);
    expect(rangeOf(items, 5n, 7n)).toEqual([7n]);
  });

  test("gives the range the state that the clicked row gets", () => {
    expect([...toggled(new Set([4n]), [4n, 7n, 1n], 1n)]).toEqual([4n, 7n, 1n]);
    expect([...toggled(new Set([4n, 7n, 9n]), [4n, 7n], 7n)]).toEqual([9n]);
  });
});

describe("a refused batch", () => {
  test("names its pets", () => {
    const fields = {
      "updates[1].expected_quantity": "the quantity is 9",
      "updates[2].pet_id": "there is no such pet",
      updates: "5 more updates fail",
    };
    expect(batchRefusal(fields, [1n, 2n, 3n])).toEqual([
      "Pet 2: the quantity is 9.",
      "Pet 3: there is no such pet.",
      "5 more updates fail.",
    ]);
  });

  test("is another error if it names none", () => {
    expect(batchRefusal({ updates: "must have at most 1000 elements" }, [1n])).toBeUndefined();
    expect(batchRefusal({}, [1n])).toBeUndefined();
  });
});

test("names few pets, and counts the others", () => {
  const ids = (count: number) => Array.from({ length: count }, (_, n) => BigInt(n + 1));
  expect(petsText(ids(1))).toBe("pet 1");
  expect(petsText(ids(2))).toBe("pets 1 and 2");
  expect(petsText(ids(6))).toBe("pets 1, 2, 3, 4, 5 and 6");
  expect(petsText(ids(1_005))).toBe("pets 1, 2, 3, 4, 5 and 1,000 others");
});
