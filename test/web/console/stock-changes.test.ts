import { describe, expect, it } from "vitest";
import { PetStatus } from "../../../gen/inventory/v1/inventory_pb.ts";
import { rangeOf, toggled } from "../../../src/web/console/stock/changes/row-range.ts";

const items = [9n, 4n, 7n, 1n].map((petId) => ({
  petId,
  quantity: 1,
  status: PetStatus.AVAILABLE,
}));

describe("a selection of rows", () => {
  it("has a range in the order of the list, in both directions", () => {
    expect(rangeOf(items, 4n, 1n)).toEqual([4n, 7n, 1n]);
    expect(rangeOf(items, 1n, 4n)).toEqual([4n, 7n, 1n]);
  });

  it("has one row when the first one of the range is not shown", () => {
    expect(rangeOf(items, undefined, 7n)).toEqual([7n]);
    expect(rangeOf(items, 5n, 7n)).toEqual([7n]);
  });

  it("gives the range the state that the clicked row gets", () => {
    expect([...toggled(new Set([4n]), [4n, 7n, 1n], 1n)]).toEqual([4n, 7n, 1n]);
    expect([...toggled(new Set([4n, 7n, 9n]), [4n, 7n], 7n)]).toEqual([9n]);
  });
});
