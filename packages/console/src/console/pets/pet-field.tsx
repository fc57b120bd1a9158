import { TextField } from "../shared/field.tsx";
import { FieldError, type FormValues } from "../shared/form-values.ts";
import { names, petOfCode } from "./names.ts";
import { useNames } from "./use-names.ts";

/** The field of a pet, by its SKU or id. @param name the field in the proto */
export function PetField(props: {
  name: string;
  value?: bigint | undefined;
  onChange?(petId: bigint | undefined): void;
}) {
  const { name, value, onChange } = props;
  const known = useNames();
  return (
    <TextField
      label="Pet"
      name={name}
      {...(value !== undefined && { value: String(value) })}
      hint="Its SKU or id."
      onChange={(text) => onChange?.(petOfCode(known, text))}
    />
  );
}

/** Reads the value of a {@link PetField}. @throws FieldError if no pet can have it */
export function petIn(values: FormValues, name: string): bigint {
  const petId = petOfCode(names.get(), values.text(name));
  if (petId === undefined) throw new FieldError(name, "must be the SKU or id of a pet");
  return petId;
}
