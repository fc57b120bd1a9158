import { expect, it } from "vitest";
import { ChangeReason, ChangeReasonSchema } from "../../../gen/inventory/v1/inventory_pb.ts";
import { enumWords } from "../../../src/call/enum-word.ts";
import { reasonWord } from "../../../src/web/console/stock/reasons.ts";

it("every reason has its word, and one of a newer server is not taken for another", () => {
  const known = ChangeReasonSchema.values.filter(
    ({ number }) => number !== ChangeReason.UNSPECIFIED,
  );
  expect(known.map(({ number }) => reasonWord(number as ChangeReason))).toEqual(
    enumWords(ChangeReasonSchema).map((word) => word.replace("_", " ")),
  );
  expect(reasonWord(99 as ChangeReason)).toBe("reason 99");
});
