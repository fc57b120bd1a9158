import { useState } from "preact/hooks";
import { PlaceOrderRequestSchema } from "../../../../../gen/store/v1/store_pb.ts";
import { present } from "../../../../../src/common/present.ts";
import { petText } from "../pets/names.ts";
import { PetField, petIn } from "../pets/pet-field.tsx";
import { inventory, store } from "../shared/api.ts";
import { CreateForm } from "../shared/create-form.tsx";
import { Dialog } from "../shared/dialog.tsx";
import { quantityEffect } from "../shared/effect.ts";
import { NumberField, TextField } from "../shared/field.tsx";
import { hasScope, session } from "../shared/session.ts";
import { useQuery } from "../shared/use-query.ts";
import { offerUndo } from "../stock/undo.ts";
import { numberText } from "../text/number-text.ts";

/** Places an order. Asks for the pet, unless the caller names it. */
export function PlaceOrderDialog(props: {
  petId?: bigint;
  onClose(): void;
  onPlaced?: () => void;
}) {
  const { petId, onClose, onPlaced } = props;
  const [typed, setTyped] = useState(petId);
  const stock = useQuery((signal) => stockOf(typed, signal), [typed]);
  return (
    <Dialog
      title={petId === undefined ? "Place an order" : `Place an order of ${petText(petId)}`}
      onClose={onClose}
    >
      <CreateForm
        schema={PlaceOrderRequestSchema}
        read={(values, idempotencyKey) => ({
          petId: petId ?? petIn(values, "pet_id"),
          quantity: values.integer("quantity") ?? 0,
          reference: values.text("reference"),
          idempotencyKey,
        })}
        effects={({ petId, quantity }) =>
          stock.data?.petId === petId
            ? quantityEffect(
                `Stock of ${petText(petId)}`,
                stock.data.quantity,
                stock.data.quantity - quantity,
              )
            : []
        }
        send={async (request) => {
          const { order } = await store.placeOrder(request);
          const { orderId, petId, quantity } = present(order, "the order");
          offerUndo(
            `Order ${orderId} is placed: ${numberText(quantity)} of ${petText(petId)}.`,
            async () => {
              await store.cancelOrder({ orderId });
              onPlaced?.();
              return `Order ${orderId} is cancelled.`;
            },
          );
          onClose();
          onPlaced?.();
        }}
        submit="Place the order"
        onCancel={onClose}
        unclearAdvice="It is unknown whether the order was placed. Send the same values again: then it is placed once."
        onUnclear={() => onPlaced?.()}
      >
        {petId === undefined && <PetField name="pet_id" onChange={setTyped} />}
        <NumberField
          label="Quantity"
          name="quantity"
          value={1}
          hint="The units are taken out of stock at once."
        />
        <TextField label="Reference" name="reference" hint="Your own, such as a cart's number." />
      </CreateForm>
    </Dialog>
  );
}

/** Reads how many units of a pet are in stock. @returns undefined if no pet is named, or the key may not read it */
async function stockOf(petId: bigint | undefined, signal: AbortSignal) {
  if (petId === undefined || !hasScope(session.get(), "inventory:read")) return undefined;
  const { item } = await inventory.getInventoryItem({ petId }, { signal });
  return { petId, quantity: item?.quantity ?? 0 };
}
