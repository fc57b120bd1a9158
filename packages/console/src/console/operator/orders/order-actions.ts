import { OrderStatus } from "../../../../../../gen/store/v1/store_pb.ts";

/** What an operator can do with an order. */
export type OrderAction = "approve" | "deliver" | "cancel";

/** Returns the actions that the service accepts for an order in this status. */
export function orderActions(status: OrderStatus): readonly OrderAction[] {
  switch (status) {
    case OrderStatus.PLACED:
      return ["approve", "deliver", "cancel"];
    case OrderStatus.APPROVED:
      return ["deliver", "cancel"];
    default:
      return [];
  }
}
