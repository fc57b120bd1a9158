import type { CallFault } from "../shared/call-fault.ts";
import { TextField } from "../shared/field.tsx";
import type { PetNames } from "./names.ts";
import { PetLink } from "./pet-link.tsx";

/** The fields of the name and the SKU of a pet, as `catalog.v1` names them. */
export function NameFields({ name, sku }: Partial<PetNames>) {
  return (
    <>
      <TextField label="Name" name="name" {...(name && { value: name })} />
      <TextField
        label="SKU"
        name="sku"
        {...(sku && { value: sku })}
        hint="The code of the pet in the shop, such as its barcode. No other pet can have it."
      />
    </>
  );
}

/** Says which pet has the SKU that a call was refused for. */
export function skuOwner({ reason, facts: { petId } }: CallFault) {
  if (reason !== "SKU_TAKEN" || petId === undefined) return null;
  return (
    <p>
      See <PetLink petId={BigInt(petId)} isInline />.
    </p>
  );
}
