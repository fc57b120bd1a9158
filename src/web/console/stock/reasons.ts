import { ChangeReason } from "../../../../gen/inventory/v1/inventory_pb.ts";

/** The reasons that a client can give for a change, for a list of choices. */
export const reasons = [
  [String(ChangeReason.ADJUSTMENT), "adjustment"],
  [String(ChangeReason.ARRIVAL), "arrival"],
  [String(ChangeReason.RETURN), "return"],
] as const;

const words: ReadonlyMap<ChangeReason, string> = new Map([
  [ChangeReason.ARRIVAL, "arrival"],
  [ChangeReason.RETURN, "return"],
  [ChangeReason.ADJUSTMENT, "adjustment"],
  [ChangeReason.ORDER, "order"],
  [ChangeReason.IMPORT, "import"],
  [ChangeReason.HOLD, "hold"],
  [ChangeReason.HOLD_ENDED, "hold ended"],
]);

/** Returns the word of a reason. A newer server may send a reason that this page does not know. */
export function reasonWord(reason: ChangeReason): string {
  return words.get(reason) ?? `reason ${reason}`;
}
