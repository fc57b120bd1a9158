import { useState } from "preact/hooks";
import type { AccountOrder } from "../../../../../../gen/admin/v1/admin_pb.ts";
import { OrderStatus, OrderStatusSchema } from "../../../../../../gen/store/v1/store_pb.ts";
import { enumWord } from "../../../../../../src/common/enum-word.ts";
import { admin } from "../../shared/api.ts";
import { ErrorBanner } from "../../shared/error-banner.tsx";
import { SelectField } from "../../shared/field.tsx";
import { PagedTable } from "../../shared/paged-table.tsx";
import { useRouteQuery } from "../../shared/route.ts";
import { showToast } from "../../shared/toasts.tsx";
import { useAction } from "../../shared/use-action.ts";
import { useDialog } from "../../shared/use-dialog.ts";
import { usePages } from "../../shared/use-pages.ts";
import { CancelOrderDialog } from "../../store/cancel-order-dialog.tsx";
import { ReferenceFilter } from "../../store/reference-filter.tsx";
import { AccountName } from "../links.tsx";
import type { OrderAction } from "./order-actions.ts";
import { orderColumns } from "./order-columns.tsx";

const statuses: readonly OrderStatus[] = [
  OrderStatus.UNSPECIFIED,
  OrderStatus.PLACED,
  OrderStatus.APPROVED,
  OrderStatus.DELIVERED,
  OrderStatus.CANCELLED,
];
/** The orders of all accounts, or of the account that the route names. */
export function OrdersSection({ path }: { readonly path: readonly string[] }) {
  const [accountId = ""] = path;
  const [status, setStatus] = useState<OrderStatus>(OrderStatus.UNSPECIFIED);
  const reference = useRouteQuery().get("reference") ?? "";
  const pages = usePages(
    async (pageToken, signal) => {
      const request = { pageToken, accountId, status, reference };
      const { orders, nextPageToken } = await admin.listOrders(request, { signal });
      return { rows: orders, nextPageToken };
    },
    [accountId, status, reference],
  );
  const dialog = useDialog();
  const advance = useAction(async ({ accountId, order }: AccountOrder, status: OrderStatus) => {
    const orderId = order?.orderId ?? 0n;
    try {
      await admin.advanceOrder({ accountId, orderId, status });
      showToast(`Order ${orderId} is ${enumWord(OrderStatusSchema, status)}.`);
    } finally {
      // After an error, the status may be another one than the list shows.
      pages.first.reload();
    }
  });
  const onAction = (action: OrderAction, row: AccountOrder) => {
    switch (action) {
      case "approve":
        return void advance.run(row, OrderStatus.APPROVED);
      case "deliver":
        return void advance.run(row, OrderStatus.DELIVERED);
      case "cancel":
        return dialog.open(
          <CancelOrderDialog {...row} onClose={dialog.close} onDone={pages.first.reload} />,
        );
    }
  };
  return (
    <>
      <header class="part-header">
        <h2>{accountId ? "Orders of an account" : "Orders of all accounts"}</h2>
        <ReferenceFilter key={reference} reference={reference} />
        <div class="filter">
          <SelectField
            label="Status"
            name="status"
            value={String(status)}
            options={statuses.map((each) => [String(each), statusText(each)])}
            onChange={(value) =>
              setStatus(statuses.find((each) => String(each) === value) ?? status)
            }
          />
        </div>
      </header>
      {accountId && (
        <div class="only">
          <AccountName accountId={accountId} />
          <a href="#/operator/orders">Show the orders of all accounts</a>
        </div>
      )}
      <ErrorBanner fault={advance.fault} onClose={advance.clear} />
      <PagedTable
        pages={pages}
        caption="Orders"
        columns={orderColumns(advance.isPending ? undefined : onAction)}
        rowKey={({ order }) => String(order?.orderId)}
        empty="There are no such orders."
        isCards
      />
      {dialog.shown}
    </>
  );
}

function statusText(status: OrderStatus): string {
  return status === OrderStatus.UNSPECIFIED ? "every status" : enumWord(OrderStatusSchema, status);
}
