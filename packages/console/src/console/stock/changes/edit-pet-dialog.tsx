import { useState } from "preact/hooks";
import {
  type CatalogEntry,
  UpdatePetRequestSchema,
} from "../../../../../../gen/catalog/v1/catalog_pb.ts";
import { present } from "../../../../../../src/common/present.ts";
import { NameFields, skuOwner } from "../../pets/name-fields.tsx";
import { namesOfPet, type PetNames, petSubject, petText } from "../../pets/names.ts";
import { noteNames } from "../../pets/use-names.ts";
import { catalog } from "../../shared/api.ts";
import { Dialog } from "../../shared/dialog.tsx";
import { Form } from "../../shared/form.tsx";
import { offerUndo } from "../undo.ts";

/** Changes the name and the SKU of a pet. */
export function EditPetDialog({ petId, onClose }: { petId: bigint; onClose(): void }) {
  const [names] = useState(namesOfPet(petId));
  return (
    <Dialog title={`Edit ${petText(petId)}`} onClose={onClose}>
      <Form
        schema={UpdatePetRequestSchema}
        // What stays is not sent, so that it cannot undo what somebody else changes.
        read={(values) => ({ petId, ...changed(names, values.text("name"), values.text("sku")) })}
        send={async (change) => {
          if (change.name !== undefined || change.sku !== undefined) {
            const { entry } = await catalog.updatePet(change);
            const after = present(entry, "the entry");
            noteNames(after);
            offerUndo(`${petSubject(petId)} is saved.`, () => setBack(after, names));
          }
          onClose();
        }}
        aboutFault={skuOwner}
        submit="Save"
        onCancel={onClose}
      >
        <NameFields {...names} />
      </Form>
    </Dialog>
  );
}

/** Returns which of the new names differ from the old ones. */
function changed(before: PetNames, name: string, sku: string): Partial<PetNames> {
  return { ...(name !== before.name && { name }), ...(sku !== before.sku && { sku }) };
}

/** Sets the old names of a pet that still has the new ones. An entry has no version to send as a condition. */
async function setBack(after: CatalogEntry, { name, sku }: PetNames): Promise<string | undefined> {
  const { petId } = after;
  const now = (await catalog.getPet({ petId })).entry;
  if (now?.name !== after.name || now.sku !== after.sku) return undefined;
  const { entry } = await catalog.updatePet({ petId, ...changed(after, name, sku) });
  if (entry) noteNames(entry);
  return `${petSubject(petId)} has the name and SKU of before.`;
}
