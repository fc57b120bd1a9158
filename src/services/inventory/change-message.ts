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

/**
 * Returns whether a caller sees the origin of a change: who made it, in which request, and its note and reference.
 * The account that made the change sees it, and so does every key with the scope `inventory:audit`.
 */
export function seesOrigin({ accountId, scopes }: Viewer, change: StockChange): boolean {
  const isOwn = accountId !== "" && accountId === change.accountId;
  return isOwn || scopes.has("inventory:audit");
}

/**
 * Converts a change to its message.
 *
 * @param withOrigin false omits the fields that only some callers see (see {@link seesOrigin})
 */
export function changeMessage(change: StockChange, withOrigin: boolean): InventoryChange {
  const { quantityBefore, quantityAfter, status } = change;
  return create(InventoryChangeSchema, {
    version: change.version,
    petId: change.petId,
    ...(quantityBefore !== undefined && { quantityBefore }),
    ...(quantityAfter !== undefined && { quantityAfter }),
    ...(status !== undefined && { status }),
    changedAt: timestampFromMs(change.changedAt),
    reason: change.reason,
    ...(withOrigin && {
      note: change.note,
      reference: change.reference,
      accountId: change.accountId,
      keyId: change.keyId,
      requestId: change.requestId,
    }),
  });
}
