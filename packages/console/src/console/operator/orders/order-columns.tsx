import type { AccountOrder } from "../../../../../../gen/admin/v1/admin_pb.ts";
import { OrderStatus } from "../../../../../../gen/store/v1/store_pb.ts";
import { PetLink } from "../../pets/pet-link.tsx";
import { actionColumn } from "../../shared/action-column.tsx";
import { Ellipsis } from "../../shared/ellipsis.tsx";
import type { Column } from "../../shared/table.tsx";
import { numberText } from "../../text/number-text.ts";
import { OrderBadge } from "../../text/order-badge.tsx";
import { Time } from "../../text/time.tsx";
import { AccountName } from "../links.tsx";
import { type OrderAction, orderActions } from "./order-actions.ts";

const actionNames: Readonly<Record<OrderAction, string>> = {
  approve: "Approve",
  deliver: "Deliver",
  cancel: "Cancel",
};

/**
 * The columns of a list of orders of all accounts.
 *
 * @param onAction undefined while a change is under way: no other can begin in the meantime
 */
export function orderColumns(
  onAction: ((action: OrderAction, order: AccountOrder) => void) | undefined,
): Column<AccountOrder>[] {
  return [
    { title: "Order", cell: ({ order }) => String(order?.orderId) },
    { title: "Account", cell: ({ accountId }) => <AccountName accountId={accountId} /> },
    { title: "Pet", cell: ({ order }) => order && <PetLink petId={order.petId} /> },
    { title: "Quantity", cell: ({ order }) => numberText(order?.quantity ?? 0), isNumber: true },
    { title: "Status", cell: ({ order }) => order && <OrderBadge status={order.status} /> },
    {
      title: "Reference",
      cell: ({ order }) => order?.reference && <Ellipsis text={order.reference} />,
    },
    { title: "Placed", cell: ({ order }) => order?.placedAt && <Time at={order.placedAt} /> },
    actionColumn((row) =>
      orderActions(row.order?.status ?? OrderStatus.UNSPECIFIED).map((action) => ({
        name: actionNames[action],
        target: `order ${row.order?.orderId}`,
        run: onAction && (() => onAction(action, row)),
      })),
    ),
  ];
}
