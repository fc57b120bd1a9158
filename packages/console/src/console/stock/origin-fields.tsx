import type { ChangeReason } from "../../../../../gen/inventory/v1/inventory_pb.ts";
import { SelectField, TextField } from "../shared/field.tsx";
import type { FormValues } from "../shared/form-values.ts";
import { reasons } from "./reasons.ts";

/** The fields of all changes of quantities: the reason and a note. */
export function OriginFields() {
  return (
    <>
      <SelectField label="Reason" name="reason" options={reasons} />
      <TextField label="Note" name="note" />
    </>
  );
}

/** Reads the values of {@link OriginFields}. */
export function originOf(values: FormValues, idempotencyKey: string) {
  return {
    reason: Number(values.text("reason")) as ChangeReason,
    note: values.text("note"),
    idempotencyKey,
  };
}
