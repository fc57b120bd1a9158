import { inventory } from "../../shared/api.ts";

/** Most pets of a selection, by the contract. */
const atOnce = 100;

/** Reads the quantities of pets now. Pets that do not exist are not in the map. */
export async function readQuantities(
  petIds: readonly bigint[],
): Promise<ReadonlyMap<bigint, { readonly petId: bigint; readonly quantity: number }>> {
  const found = new Map<bigint, { petId: bigint; quantity: number }>();
  for (let from = 0; from < petIds.length; from += atOnce) {
    const { items } = await inventory.listInventory({ petIds: petIds.slice(from, from + atOnce) });
    for (const { petId, quantity = 0 } of items) found.set(petId, { petId, quantity });
  }
  return found;
}
