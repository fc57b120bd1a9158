import { PlaceOrderRequestSchema } from "../../../../gen/store/v1/store_pb.ts";
import { present } from "../../../call/present.ts";
import { store } from "../shared/api.ts";
import { CreateForm } from "../shared/create-form.tsx";
import { Dialog } from "../shared/dialog.tsx";
import { TextField } from "../shared/field.tsx";
import { offerUndo } from "../stock/undo.ts";
import { numberText } from "../text/number-text.ts";

/** Places an order, of a pet that the caller can name. */
export function PlaceOrderDialog(props: {
  petId?: bigint;
  onClose(): void;
  onPlaced?: () => void;
}) {
  const { petId, onClose, onPlaced } = props;
  return (
    <Dialog title="Place an order" onClose={onClose}>
      <CreateForm
        schema={PlaceOrderRequestSchema}
        read={(values, idempotencyKey) => ({
          petId: values.bigint("pet_id") ?? 0n,
          quantity: values.integer("quantity") ?? 0,
          idempotencyKey,
        })}
        send={async (request) => {
          const { order } = await store.placeOrder(request);
          const { orderId, petId, quantity } = present(order, "the order");
          offerUndo(
            `Order ${orderId} is placed: ${numberText(quantity)} of pet ${petId}.`,
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
        <TextField
          label="Pet"
          name="pet_id"
          inputMode="numeric"
          {...(petId !== undefined && { value: String(petId) })}
        />
        <TextField
          label="Quantity"
          name="quantity"
          inputMode="numeric"
          value="1"
          hint="The units are taken out of stock at once."
        />
      </CreateForm>
    </Dialog>
  );
}
