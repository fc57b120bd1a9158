import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import {
  type InventoryChange,
  InventoryChangeSchema,
} from "../../gen/inventory/v1/inventory_pb.ts";
import type { StockChange } from "./stock-change.ts";

/** A change that is remembered as a message. */
export function changeMessage({ changedAt, ...change }: StockChange): InventoryChange {
  const { quantityBefore, quantityAfter, status } = change;
  return create(InventoryChangeSchema, {
    version: change.version,
    petId: change.petId,
    ...(quantityBefore !== undefined && { quantityBefore }),
    ...(quantityAfter !== undefined && { quantityAfter }),
    ...(status !== undefined && { status }),
    changedAt: timestampFromMs(changedAt),
    reason: change.reason,
    note: change.note,
    reference: change.reference,
    accountId: change.accountId,
    keyId: change.keyId,
    requestId: change.requestId,
  });
}
