import type { ConnectError } from "@connectrpc/connect";
import { HoldState, HoldStateSchema } from "../../../gen/store/v1/store_pb.ts";
import { enumWord } from "../../call/enum-word.ts";
import { serviceError, violationsError } from "../../contract/errors.ts";
import { maxHolds } from "../../stores/hold-store.ts";
import type { BatchRefused } from "../../stores/inventory-store.ts";

export function holdNotFound(holdId: string): ConnectError {
  return serviceError("HOLD_NOT_FOUND", `Hold ${holdId} does not exist.`, { metadata: { holdId } });
}

const ends: Partial<Record<HoldState, string>> = {
  [HoldState.CONFIRMED]: "is confirmed",
  [HoldState.RELEASED]: "was released",
  [HoldState.EXPIRED]: "has expired",
};

/** @param state the state of the hold, which is not active */
export function holdEnded(holdId: string, state: HoldState): ConnectError {
  return serviceError("HOLD_ENDED", `Hold ${holdId} ${ends[state]}.`, {
    metadata: { holdId, state: enumWord(HoldStateSchema, state) },
  });
}

/** The hold is active, although the request has `If-None-Match: *`. */
export function holdActive(holdId: string): ConnectError {
  return serviceError(
    "VERSION_MISMATCH",
    `Hold ${holdId} is active already, which does not match the header If-None-Match. Use another id, or leave out the header to replace the hold.`,
    { metadata: { holdId } },
  );
}

export function holdLimitReached(accountId: string): ConnectError {
  return serviceError(
    "HOLD_LIMIT_REACHED",
    `The account has ${maxHolds} active holds, which is the maximum. Confirm or release one first.`,
    { metadata: { accountId } },
  );
}

/** @param most the most open orders of an account */
export function orderLimitReached(most: number): ConnectError {
  return serviceError(
    "ORDER_LIMIT_REACHED",
    `The account would have more than ${most} open orders, which is the maximum. Cancel some, or have some delivered, first.`,
  );
}

/** Units of some items cannot be held. @param pets the pets of all items */
export function holdRefused(
  { refusals, total }: BatchRefused,
  pets: readonly bigint[],
): ConnectError {
  const rows = refusals.map(({ index, refusal }) =>
    refusal.kind === "no_pet"
      ? {
          field: `items[${index}].pet_id`,
          description: `pet ${pets[index]} is not in the inventory`,
        }
      : {
          field: `items[${index}].quantity`,
          description: `the stock of pet ${pets[index]} is ${"quantity" in refusal ? refusal.quantity : 0}`,
        },
  );
  const more = total - rows.length;
  if (more > 0) rows.push({ field: "items", description: `${more} more items fail` });
  const isUnknown = refusals[0]?.refusal.kind === "no_pet";
  return violationsError(isUnknown ? "PET_NOT_FOUND" : "STOCK_TOO_SMALL", rows);
}
