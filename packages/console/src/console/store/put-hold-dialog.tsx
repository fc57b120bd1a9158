import { timestampMs } from "@bufbuild/protobuf/wkt";
import { useRef, useState } from "preact/hooks";
import {
  type Hold,
  type HoldItem,
  PutHoldRequestSchema,
} from "../../../../../gen/store/v1/store_pb.ts";
import { minuteMs } from "../../../../../src/common/durations.ts";
import { PetField, petIn } from "../pets/pet-field.tsx";
import { store } from "../shared/api.ts";
import { faultOf } from "../shared/call-fault.ts";
import { Dialog } from "../shared/dialog.tsx";
import { NumberField, TextField } from "../shared/field.tsx";
import { Form } from "../shared/form.tsx";
import { FieldError } from "../shared/form-values.ts";
import { serviceNowMs } from "../shared/service-clock.ts";
import { showToast } from "../shared/toasts.tsx";
import { isUnclear } from "../shared/unclear.ts";

interface Row extends Partial<Pick<HoldItem, "petId" | "quantity">> {
  readonly key: number;
}

/** Holds units of pets, or changes a hold. A repeated PUT changes nothing, so it is safe after a lost response. */
export function PutHoldDialog(props: { hold: Hold | undefined; onClose(): void; onDone(): void }) {
  const { hold, onClose, onDone } = props;
  const [rows, setRows] = useState<readonly Row[]>(
    hold ? hold.items.map((item, key) => ({ ...item, key })) : [{ key: 0 }],
  );
  /** The hold that a call may have placed whose response was lost. */
  const unclearId = useRef<string>(undefined);
  return (
    <Dialog title={hold ? `Change hold ${hold.holdId}` : "Place a hold"} onClose={onClose}>
      <Form
        schema={PutHoldRequestSchema}
        read={(values) => {
          const minutes = values.integer("ttl_seconds");
          if (minutes !== undefined && (minutes < 1 || minutes > 1_440)) {
            throw new FieldError("ttl_seconds", "must be between 1 and 1440");
          }
          return {
            holdId: hold?.holdId ?? values.text("hold_id"),
            items: rows.map((_, at) => ({
              petId: petIn(values, `items[${at}].pet_id`),
              quantity: values.integer(`items[${at}].quantity`) ?? 0,
            })),
            ...(minutes !== undefined && { ttlSeconds: minutes * 60 }),
          };
        }}
        send={async (request) => {
          const { holdId } = request;
          // It must not replace another hold. After a lost response, it can meet its own.
          const isNew = hold === undefined && unclearId.current !== holdId;
          const headers: HeadersInit = isNew ? { "If-None-Match": "*" } : {};
          await store.putHold(request, { headers }).catch((error: unknown) => {
            const fault = faultOf(error);
            const isOther = fault.reason === "VERSION_MISMATCH";
            if (!isOther && isUnclear(fault)) unclearId.current = holdId;
            throw error;
          });
          showToast(`Hold ${holdId} is ${hold ? "changed" : "placed"}.`);
          onClose();
          onDone();
        }}
        submit={hold ? "Change the hold" : "Place the hold"}
        onCancel={onClose}
      >
        {!hold && (
          <TextField label="Hold" name="hold_id" hint="Your own id, such as a cart's number." />
        )}
        {rows.map(({ key, petId, quantity = 1 }, at) => (
          <fieldset key={key} class="hold-row">
            <legend class="visually-hidden">Pet {at + 1}</legend>
            <PetField name={`items[${at}].pet_id`} value={petId} />
            <NumberField label="Units" name={`items[${at}].quantity`} value={quantity} />
            {rows.length > 1 && (
              <button
                type="button"
                aria-label={`Leave out pet ${at + 1}`}
                onClick={() => setRows(rows.filter((row) => row.key !== key))}
              >
                ✕
              </button>
            )}
          </fieldset>
        ))}
        <div>
          <button
            type="button"
            onClick={() => setRows([...rows, { key: (rows.at(-1)?.key ?? 0) + 1 }])}
          >
            Add a pet
          </button>
        </div>
        <NumberField
          label="Minutes"
          name="ttl_seconds"
          value={minutesLeft(hold)}
          hint="The units return to the stock after this time, counted from now."
        />
      </Form>
    </Dialog>
  );
}

function minutesLeft(hold: Hold | undefined): number {
  if (!hold?.expiresAt) return 15;
  return Math.max(1, Math.round((timestampMs(hold.expiresAt) - serviceNowMs()) / minuteMs));
}
