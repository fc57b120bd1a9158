import type { Order } from "../../../../../gen/store/v1/store_pb.ts";
import { orderActions } from "../operator/orders/order-actions.ts";
import { PetLink } from "../pets/pet-link.tsx";
import { actionColumn } from "../shared/action-column.tsx";
import { store } from "../shared/api.ts";
import { Ellipsis } from "../shared/ellipsis.tsx";
import { PagedTable } from "../shared/paged-table.tsx";
import { useRouteQuery } from "../shared/route.ts";
import { hasScope, session } from "../shared/session.ts";
import { useStore } from "../shared/store.ts";
import type { Column } from "../shared/table.tsx";
import { useDialog } from "../shared/use-dialog.ts";
import { useLiveMs } from "../shared/use-live.ts";
import { usePages } from "../shared/use-pages.ts";
import { numberText } from "../text/number-text.ts";
import { OrderBadge } from "../text/order-badge.tsx";
import { Time } from "../text/time.tsx";
import { CancelOrderDialog } from "./cancel-order-dialog.tsx";
import { PlaceOrderDialog } from "./place-order-dialog.tsx";
import { ReferenceFilter } from "./reference-filter.tsx";

/** The orders of the account, newest first. */
export function OrdersSection() {
  const mayWrite = hasScope(useStore(session), "store:write");
  const query = useRouteQuery();
  const only = query.get("order") ?? "";
  const reference = query.get("reference") ?? "";
  const pages = usePages(
    async (pageToken, signal) => {
      if (/^[1-9]\d{0,18}$/.test(only)) {
        const { order } = await store.getOrder({ orderId: BigInt(only) }, { signal });
        return { rows: order ? [order] : [], nextPageToken: "" };
      }
      const request = { pageToken, reference };
      const { orders, nextPageToken } = await store.listOrders(request, { signal });
      return { rows: orders, nextPageToken };
    },
    [only, reference],
    useLiveMs(),
  );
  const dialog = useDialog();
  const onDone = pages.first.reload;
  const onClose = dialog.close;
  const actionsOf = (order: Order) => {
    if (!orderActions(order.status).includes("cancel")) return [];
    const cancel = <CancelOrderDialog order={order} onClose={onClose} onDone={onDone} />;
    return [{ name: "Cancel", target: `order ${order.orderId}`, run: () => dialog.open(cancel) }];
  };
  return (
    <>
      <header class="part-header">
        <h2>Orders</h2>
        <ReferenceFilter key={reference} reference={reference} />
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
      {only && <a href="#/orders/placed">Show all orders</a>}
      <PagedTable
        pages={pages}
        caption="Orders"
        columns={[...columns, ...(mayWrite ? [actionColumn(actionsOf)] : [])]}
        rowKey={({ orderId }) => String(orderId)}
        empty={reference ? "No order has this reference." : "The account has no orders."}
        isCards
      />
      {dialog.shown}
    </>
  );
}

const columns: readonly Column<Order>[] = [
  { title: "Order", cell: ({ orderId }) => String(orderId) },
  { title: "Pet", cell: ({ petId }) => <PetLink petId={petId} /> },
  { title: "Quantity", cell: ({ quantity }) => numberText(quantity), isNumber: true },
  { title: "Status", cell: ({ status }) => <OrderBadge status={status} /> },
  { title: "Reference", cell: ({ reference }) => reference && <Ellipsis text={reference} /> },
  { title: "Placed", cell: ({ placedAt }) => placedAt && <Time at={placedAt} /> },
];
