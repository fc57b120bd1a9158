import { ChangeReason } from "../../../../gen/inventory/v1/inventory_pb.ts";

/** The reasons that a client can give for a change, for a list of choices. */
export const reasons = [
  [String(ChangeReason.ADJUSTMENT), "adjustment"],
  [String(ChangeReason.ARRIVAL), "arrival"],
  [String(ChangeReason.RETURN), "return"],
] as const;
