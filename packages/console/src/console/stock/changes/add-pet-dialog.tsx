import { CreatePetRequestSchema } from "../../../../../../gen/catalog/v1/catalog_pb.ts";
import { PetStatus } from "../../../../../../gen/inventory/v1/inventory_pb.ts";
import { NameFields, skuOwner } from "../../pets/name-fields.tsx";
import { petSubject } from "../../pets/names.ts";
import { noteNames } from "../../pets/use-names.ts";
import { catalog } from "../../shared/api.ts";
import { CreateForm } from "../../shared/create-form.tsx";
import { Dialog } from "../../shared/dialog.tsx";
import { quantityEffect } from "../../shared/effect.ts";
import { NumberField, SelectField } from "../../shared/field.tsx";
import { showToast } from "../../shared/toasts.tsx";
import { statuses } from "../item.ts";

/** Adds a pet to the stock. */
export function AddPetDialog({ onClose }: { onClose(): void }) {
  return (
    <Dialog title="Add a pet" onClose={onClose}>
      <CreateForm
        schema={CreatePetRequestSchema}
        read={(values) => {
          const petId = values.bigint("pet_id");
          const quantity = values.integer("quantity");
          return {
            ...(petId !== undefined && { petId }),
            name: values.text("name"),
            sku: values.text("sku"),
            ...(quantity !== undefined && { quantity }),
            status: Number(values.text("status")) as PetStatus,
          };
        }}
        effects={({ petId, quantity = 0 }) => quantityEffect(`Pet ${petId} (new)`, 0, quantity)}
        send={async (request) => {
          const { entry } = await catalog.createPet(request);
          if (entry) noteNames(entry);
          showToast(`${petSubject(request.petId)} is in the stock now.`);
          onClose();
        }}
        aboutFault={skuOwner}
        submit="Add"
        onCancel={onClose}
        unclearAdvice="It is unknown whether the pet was added. Look for it in the list before you try again."
        onUnclear={() => {}}
      >
        <NumberField label="Pet" name="pet_id" hint="A number from 1." />
        <NameFields />
        <NumberField label="Quantity" name="quantity" value={0} />
        <SelectField
          label="Status"
          name="status"
          value={String(PetStatus.AVAILABLE)}
          options={statuses.map(([each, word]) => [String(each), word])}
        />
      </CreateForm>
    </Dialog>
  );
}
