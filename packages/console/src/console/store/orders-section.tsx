import { CancelOrderRequestSchema, type Order } from "../../../../../gen/store/v1/store_pb.ts";
import { orderActions } from "../operator/orders/order-actions.ts";
import { actionColumn } from "../shared/action-column.tsx";
import { store } from "../shared/api.ts";
import { ConfirmDialog } from "../shared/confirm-dialog.tsx";
import { PagedTable } from "../shared/paged-table.tsx";
import { hasScope, session } from "../shared/session.ts";
import { useStore } from "../shared/store.ts";
import type { Column } from "../shared/table.tsx";
import { useDialog } from "../shared/use-dialog.ts";
import { usePages } from "../shared/use-pages.ts";
import { countText, numberText } from "../text/number-text.ts";
import { OrderBadge } from "../text/order-badge.tsx";
import { Time } from "../text/time.tsx";
import { PetLink } from "./pet-link.tsx";
import { PlaceOrderDialog } from "./place-order-dialog.tsx";

/** The orders of the account, newest first. */
export function OrdersSection() {
  const mayWrite = hasScope(useStore(session), "store:write");
  const pages = usePages(async (pageToken, signal) => {
    const { orders, nextPageToken } = await store.listOrders({ pageToken }, { signal });
    return { rows: orders, nextPageToken };
  }, []);
  const dialog = useDialog();
  const onDone = pages.first.reload;
  const onClose = dialog.close;
  const actionsOf = (order: Order) => {
    if (!orderActions(order.status).includes("cancel")) return [];
    const cancel = <CancelDialog order={order} onClose={onClose} onDone={onDone} />;
    return [{ name: "Cancel", target: `order ${order.orderId}`, run: () => dialog.open(cancel) }];
  };
  return (
    <>
      <header class="part-header">
        <h2>Orders</h2>
        {mayWrite && (
          <button
            type="button"
            class="button-main"
            onClick={() => dialog.open(<PlaceOrderDialog onClose={onClose} onPlaced={onDone} />)}
          >
            Place an order
          </button>
        )}
      </header>
      <PagedTable
        pages={pages}
        caption="Orders"
        columns={[...columns, ...(mayWrite ? [actionColumn(actionsOf)] : [])]}
        rowKey={({ orderId }) => String(orderId)}
        empty="The account has no orders."
      />
      {dialog.shown}
    </>
  );
}

const columns: readonly Column<Order>[] = [
  { title: "Order", cell: ({ orderId }) => String(orderId) },
  { title: "Pet", cell: ({ petId }) => <PetLink petId={petId} />, isNumber: true },
  { title: "Quantity", cell: ({ quantity }) => numberText(quantity), isNumber: true },
  { title: "Status", cell: ({ status }) => <OrderBadge status={status} /> },
  { title: "Placed", cell: ({ placedAt }) => placedAt && <Time at={placedAt} /> },
];

function CancelDialog(props: { order: Order; onClose(): void; onDone(): void }) {
  const { order, onClose, onDone } = props;
  const { orderId, petId, quantity } = order;
  return (
    <ConfirmDialog
      title={`Cancel order ${orderId}?`}
      schema={CancelOrderRequestSchema}
      request={{ orderId }}
      send={(request) => store.cancelOrder(request)}
      success={`Order ${orderId} is cancelled.`}
      submit="Cancel the order"
      isDangerous
      onClose={onClose}
      onDone={onDone}
    >
      <p>
        This puts {countText(quantity, "unit")} of pet {String(petId)} back into stock.
      </p>
    </ConfirmDialog>
  );
}
