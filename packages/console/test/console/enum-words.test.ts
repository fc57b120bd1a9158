import { expect, test } from "vitest";
import { PlanSchema } from "../../../../gen/admin/v1/admin_pb.ts";
import {
  ChangeReason,
  ChangeReasonSchema,
  PetStatus,
} from "../../../../gen/inventory/v1/inventory_pb.ts";
import { HoldStateSchema, OrderStatusSchema } from "../../../../gen/store/v1/store_pb.ts";
import { enumNumber, enumWord, enumWords } from "../../../../src/common/enum-word.ts";
import { statuses, statusWord } from "../../src/console/stock/item.ts";
import { reasonWord } from "../../src/console/stock/reasons.ts";

test("every reason has its word, and one of a newer server is not taken for another", () => {
  const known = ChangeReasonSchema.values.filter(
    ({ number }) => number !== ChangeReason.UNSPECIFIED,
  );
  expect(known.map(({ number }) => reasonWord(number as ChangeReason))).toEqual(
    enumWords(ChangeReasonSchema).map((word) => word.replace("_", " ")),
  );
  expect(reasonWord(99 as ChangeReason)).toBe("unknown (99)");
});

test("every status has its word, and one of a newer server is shown as unknown", () => {
  expect(statuses).toEqual([
    [PetStatus.AVAILABLE, "available"],
    [PetStatus.PENDING, "pending"],
    [PetStatus.SOLD, "sold"],
  ]);
  expect(statusWord(7 as PetStatus)).toBe("unknown (7)");
});

test.each([OrderStatusSchema, HoldStateSchema, PlanSchema])(
  "a value of $name from a newer server is shown as unknown, and cannot be typed",
  (desc) => {
    expect(enumWord(desc, 7)).toBe("unknown (7)");
    expect(enumNumber(desc, "unknown (7)")).toBeUndefined();
  },
);
