import { ChangeReason, ChangeReasonSchema } from "../../../../../gen/inventory/v1/inventory_pb.ts";
import { enumWord } from "../../../../../src/common/enum-word.ts";

/** The reasons that a client can give for a change, for a list of choices. */
export const reasons = [
  [String(ChangeReason.ADJUSTMENT), "adjustment"],
  [String(ChangeReason.ARRIVAL), "arrival"],
  [String(ChangeReason.RETURN), "return"],
  [String(ChangeReason.SALE), "sale"],
  [String(ChangeReason.DAMAGE), "damage"],
  [String(ChangeReason.LOSS), "loss"],
  [String(ChangeReason.COUNT), "count"],
] as const;

/** Returns the word of a reason: `hold ended`. */
export function reasonWord(reason: ChangeReason): string {
  return enumWord(ChangeReasonSchema, reason).replace("_", " ");
}
