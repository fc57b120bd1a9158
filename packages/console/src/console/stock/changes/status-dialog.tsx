import { Code } from "@connectrpc/connect";
import { useState } from "preact/hooks";
import { PetStatus } from "../../../../../../gen/inventory/v1/inventory_pb.ts";
import { catalog, inventory } from "../../shared/api.ts";
import { faultOf } from "../../shared/call-fault.ts";
import { SelectField } from "../../shared/field.tsx";
import { countText } from "../../text/number-text.ts";
import { type Item, statuses, statusWord } from "../item.ts";
import { EachPetDialog } from "./each-pet-dialog.tsx";

/** Most pets whose status is set back, with a call for each. */
const mostUndone = 20;

/** Sets the status of pets. The quantities stay. */
export function StatusDialog({ pets, onClose }: { pets: readonly Item[]; onClose(): void }) {
  const [status, setStatus] = useState<PetStatus>(pets[0]?.status ?? PetStatus.AVAILABLE);
  return (
    <EachPetDialog
      title="Set the status"
      pets={pets}
      submit="Set the status"
      changed={`${statusWord(status)} now`}
      change={(petId) => catalog.updatePet({ petId, status })}
      {...(pets.length <= mostUndone && { undo: () => setBack(pets, status) })}
      onClose={onClose}
    >
      <SelectField
        label="Status"
        name="status"
        value={String(status)}
        options={statuses.map(([each, word]) => [String(each), word])}
        onChange={(value) => setStatus(Number(value) as PetStatus)}
      />
    </EachPetDialog>
  );
}

/** Sets the old status of each pet that still has the new one. A status has no version to send as a condition. */
async function setBack(pets: readonly Item[], status: PetStatus): Promise<string> {
  let undone = 0;
  for (const { petId, status: before } of pets) {
    // The page may not show the change yet.
    if ((await statusNow(petId)) !== status) continue;
    await catalog.updatePet({ petId, status: before });
    undone += 1;
  }
  return `${countText(undone, "pet has", "pets have")} the status of before.`;
}

/** @returns undefined if there is no such pet any more */
async function statusNow(petId: bigint): Promise<PetStatus | undefined> {
  try {
    return (await inventory.getInventoryItem({ petId })).item?.status;
  } catch (error) {
    if (faultOf(error).code !== Code.NotFound) throw error;
    return undefined;
  }
}
