import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import {
  type InventoryChange,
  InventoryChangeSchema,
} from "../../../gen/inventory/v1/inventory_pb.ts";
import type { Caller } from "../../access/caller.ts";
import type { StockChange } from "../../stores/stock-change.ts";

/** The properties of a caller that decide what it sees of a change. */
export type Viewer = Pick<Caller, "accountId" | "scopes">;

/** How much a caller sees of a change: `redacted` lacks its origin. */
export type View = "whole" | "redacted";

/**
 * Returns how much a caller sees of a change. The account that made the change sees its origin: who made it, in which
 * request, and its note and reference. So does every key with the scope `inventory:audit`.
 */
export function viewOf({ accountId, scopes }: Viewer, change: StockChange): View {
  const isOwn = accountId !== "" && accountId === change.accountId;
  return isOwn || scopes.has("inventory:audit") ? "whole" : "redacted";
}

export function changeMessage(change: StockChange, view: View): InventoryChange {
  const { quantityBefore, quantityAfter, status } = change;
  return create(InventoryChangeSchema, {
    version: change.version,
    petId: change.petId,
    ...(quantityBefore !== undefined && { quantityBefore }),
    ...(quantityAfter !== undefined && { quantityAfter }),
    ...(status !== undefined && { status }),
    changedAt: timestampFromMs(change.changedAt),
    reason: change.reason,
    ...(view === "whole" && {
      note: change.note,
      reference: change.reference,
      accountId: change.accountId,
      keyId: change.keyId,
      requestId: change.requestId,
    }),
  });
}
