import type { ConnectError } from "@connectrpc/connect";
import { HoldState, HoldStateSchema } from "../../../gen/store/v1/store_pb.ts";
import { enumWord } from "../../common/enum-word.ts";
import { errorWith, serviceError, violationsError } from "../../contract/errors.ts";
import { type HeldItem, maxHolds } from "../../stores/hold-store.ts";
import type { BatchRefused } from "../../stores/inventory-store.ts";

export function holdNotFound(holdId: string): ConnectError {
  return errorWith("HOLD_NOT_FOUND", `Hold ${holdId} does not exist.`, { holdId });
}

const ends: Partial<Record<HoldState, string>> = {
  [HoldState.CONFIRMED]: "is confirmed",
  [HoldState.RELEASED]: "was released",
  [HoldState.EXPIRED]: "has expired",
};

/** @param state the state of the hold, which is not active */
export function holdEnded(holdId: string, state: HoldState): ConnectError {
  return errorWith("HOLD_ENDED", `Hold ${holdId} ${ends[state]}.`, {
    holdId,
    state: enumWord(HoldStateSchema, state),
  });
}

/** The hold is active, although the request has `If-None-Match: *`. */
export function holdActive(holdId: string): ConnectError {
  const text = `Hold ${holdId} is active already, which does not match the header If-None-Match. Use another id, or leave out the header to replace the hold.`;
  return errorWith("VERSION_MISMATCH", text, { holdId });
}

export function holdLimitReached(accountId: string): ConnectError {
  const text = `The account has ${maxHolds} active holds, which is the maximum. Confirm or release one first.`;
  return errorWith("HOLD_LIMIT_REACHED", text, { accountId });
}

/** @param most the most open orders of an account */
export function orderLimitReached(most: number): ConnectError {
  const text = `The account would have more than ${most} open orders, which is the maximum. Cancel some, or have some delivered, first.`;
  return serviceError("ORDER_LIMIT_REACHED", text);
}

/** Units of some items cannot be held. @param items those of the request */
export function holdRefused(
  { refusals, total }: BatchRefused,
  items: readonly Pick<HeldItem, "petId">[],
): ConnectError {
  const rows = refusals.map(({ index, refusal }) => {
    const pet = `pet ${items[index]?.petId}`;
    const row = `items[${index}]`;
    if (refusal.kind === "no_pet") {
      return { field: `${row}.pet_id`, description: `${pet} is not in the inventory` };
    }
    const quantity = "quantity" in refusal ? refusal.quantity : 0;
    return { field: `${row}.quantity`, description: `the stock of ${pet} is ${quantity}` };
  });
  const more = total - rows.length;
  if (more > 0) rows.push({ field: "items", description: `${more} more items fail` });
  const isUnknown = refusals[0]?.refusal.kind === "no_pet";
  return violationsError(isUnknown ? "PET_NOT_FOUND" : "STOCK_TOO_SMALL", rows);
}
