import { ChangeReasonSchema, PetStatusSchema } from "../../../gen/inventory/v1/inventory_pb.ts";
import { enumNumber, enumWords } from "../../common/enum-word.ts";
import type { StockChange } from "../../stores/stock-change.ts";
import { usageError } from "../command-error.ts";

/** The options that select changes. All that are given must hold. */
export interface RelaySelection {
  readonly below?: number;
  readonly status?: string;
  readonly reason?: readonly string[];
}

/** Returns a function that says whether a change is selected. @throws CommandError */
export function relaySelector({ below, status, reason = [] }: RelaySelection) {
  const wanted = status === undefined ? undefined : enumNumber(PetStatusSchema, status);
  const reasons = reason.map((word) => {
    const number = enumNumber(ChangeReasonSchema, word);
    if (number !== undefined) return number;
    const words = enumWords(ChangeReasonSchema).join(", ");
    throw usageError(`--reason: "${word}" is not a reason. Use one of ${words}`);
  });
  return (change: StockChange): boolean =>
    (below === undefined || crosses(change, below)) &&
    (wanted === undefined || change.status === wanted || change.statusBefore === wanted) &&
    (reasons.length === 0 || reasons.includes(change.reason));
}

/** Whether a quantity was at least a number, and is less now. A removed pet has no quantity. */
function crosses({ quantityBefore, quantityAfter }: StockChange, below: number): boolean {
  if (quantityBefore === undefined || quantityAfter === undefined) return false;
  return quantityBefore >= below && quantityAfter < below;
}
