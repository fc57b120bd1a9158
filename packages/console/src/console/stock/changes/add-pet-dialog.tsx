import { CreateItemRequestSchema } from "../../../../../../gen/admin/v1/admin_pb.ts";
import { PetStatus } from "../../../../../../gen/inventory/v1/inventory_pb.ts";
import { admin } from "../../shared/api.ts";
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
        schema={CreateItemRequestSchema}
        read={(values) => {
          const petId = values.bigint("item.pet_id");
          const quantity = values.integer("item.quantity");
          return {
            item: {
              ...(petId !== undefined && { petId }),
              ...(quantity !== undefined && { quantity }),
              status: Number(values.text("item.status")) as PetStatus,
            },
          };
        }}
        effects={({ item }) => quantityEffect(`Pet ${item?.petId} (new)`, 0, item?.quantity ?? 0)}
        send={async (request) => {
          const { item } = await admin.createItem(request);
          showToast(`Pet ${item?.petId} is in the stock now.`);
          onClose();
        }}
        submit="Add"
        onCancel={onClose}
        unclearAdvice="It is unknown whether the pet was added. Look for it in the list before you try again."
        onUnclear={() => {}}
      >
        <NumberField label="Pet" name="item.pet_id" hint="A number from 1." />
        <NumberField label="Quantity" name="item.quantity" value={0} />
        <SelectField
          label="Status"
          name="item.status"
          value={String(PetStatus.AVAILABLE)}
          options={statuses.map(([each, word]) => [String(each), word])}
        />
      </CreateForm>
    </Dialog>
  );
}
