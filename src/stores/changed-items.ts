import type { PetStatus } from "../../gen/inventory/v1/inventory_pb.ts";
import type { QuantityUpdate, VersionedItem } from "./inventory-store.ts";

/**
 * Returns the items after a batch. Most of their values are in the request, so a store needs to keep little of a batch
 * to respond to a repeated request.
 *
 * @param firstVersion of the first update's change; the others follow in order
 * @param statuses a digit for each update
 */
export function changedItems(
  updates: readonly QuantityUpdate[],
  firstVersion: bigint,
  statuses: string,
): VersionedItem[] {
  return updates.map(({ petId, quantity }, index) => ({
    petId,
    quantity,
    status: Number(statuses[index]) as PetStatus,
    version: firstVersion + BigInt(index),
  }));
}
