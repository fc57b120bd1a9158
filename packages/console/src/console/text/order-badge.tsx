import { type OrderStatus, OrderStatusSchema } from "../../../../../gen/store/v1/store_pb.ts";
import { enumWord } from "../../../../../src/common/enum-word.ts";

const badges: Readonly<Record<string, string>> = {
  approved: "badge-warning",
  delivered: "badge-success",
  cancelled: "badge-danger",
};

/** The status of an order, with a color. */
export function OrderBadge({ status }: { readonly status: OrderStatus }) {
  const word = enumWord(OrderStatusSchema, status);
  return <span class={`badge ${badges[word] ?? ""}`}>{word}</span>;
}
