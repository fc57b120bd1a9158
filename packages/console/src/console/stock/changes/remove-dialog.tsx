import { catalog } from "../../shared/api.ts";
import { faultOf } from "../../shared/call-fault.ts";
import { numberText } from "../../text/number-text.ts";
import type { Item } from "../item.ts";
import { EachPetDialog } from "./each-pet-dialog.tsx";

/** Removes pets from the stock. */
export function RemoveDialog({ pets, onClose }: { pets: readonly Item[]; onClose(): void }) {
  const units = pets.reduce((sum, { quantity }) => sum + quantity, 0);
  return (
    <EachPetDialog
      title={pets.length === 1 ? "Remove the pet?" : `Remove ${numberText(pets.length)} pets?`}
      pets={pets}
      submit="Remove"
      isDangerous
      changed="removed"
      change={removePet}
      onClose={onClose}
    >
      <p>
        {units > 0 && `${numberText(units)} units are in stock. `}A removed pet has no history any
        more. Pets with held units stay until the holds have ended.
      </p>
    </EachPetDialog>
  );
}

/** A pet that is not there may have been removed by a call whose response was lost. */
async function removePet(petId: bigint): Promise<void> {
  try {
    await catalog.removePet({ petId });
  } catch (error) {
    if (faultOf(error).reason !== "PET_NOT_FOUND") throw error;
  }
}
