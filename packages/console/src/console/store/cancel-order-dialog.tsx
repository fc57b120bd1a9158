import { CancelOrderRequestSchema, type Order } from "../../../../../gen/store/v1/store_pb.ts";
import { petText } from "../pets/names.ts";
import { admin, store } from "../shared/api.ts";
import { ConfirmDialog } from "../shared/confirm-dialog.tsx";
import { countText } from "../text/number-text.ts";

/** Asks whether to cancel an order. @param accountId whose order it is; absent for one of the account of the key */
export function CancelOrderDialog(props: {
  order?: Order;
  accountId?: string;
  onClose(): void;
  onDone(): void;
}) {
  const { order, accountId, onClose, onDone } = props;
  const { orderId = 0n, petId = 0n, quantity = 0 } = order ?? {};
  return (
    <ConfirmDialog
      title={`Cancel order ${orderId}?`}
      schema={CancelOrderRequestSchema}
      request={{ orderId }}
      send={(request) =>
        accountId === undefined
          ? store.cancelOrder(request)
          : admin.cancelOrder({ accountId, orderId })
      }
      success={`Order ${orderId} is cancelled.`}
      submit="Cancel the order"
      isDangerous
      onClose={onClose}
      onDone={onDone}
    >
      <p>
        This puts {countText(quantity, "unit")} of {petText(petId)} back into stock.
      </p>
    </ConfirmDialog>
  );
}
