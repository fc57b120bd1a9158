import type {
  AdjustInventoryResponse,
  InventoryItem,
  UpdateInventoryResponse,
} from "../../../../../gen/inventory/v1/inventory_pb.ts";
import { petSubject } from "../pets/names.ts";
import { inventory } from "../shared/api.ts";
import { randomId } from "../shared/random-id.ts";
import { numberText } from "../text/number-text.ts";
import { offerUndo } from "./undo.ts";

/** Reports the changed quantity of a pet, and offers to set it as it was if nobody changes the pet in the meantime. */
export function reportChange(
  petId: bigint,
  before: number,
  { item, version }: UpdateInventoryResponse | AdjustInventoryResponse,
): void {
  const idempotencyKey = randomId();
  offerUndo(changedText(petId, item), async () => {
    const undone = await inventory.updateInventory({
      petId,
      update: { quantity: before },
      note: "Undo",
      expectedVersion: version,
      idempotencyKey,
    });
    return changedText(petId, undone.item);
  });
}

function changedText(petId: bigint, item: InventoryItem | undefined): string {
  return `${petSubject(petId)} has the quantity ${numberText(item?.quantity ?? 0)} now.`;
}
