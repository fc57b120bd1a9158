import type { OrderStatus } from "../../../gen/store/v1/store_pb.ts";
import { append } from "../../common/append.ts";
import type { CallContext } from "../../common/call-context.ts";
import type { AccountOrderRecord, OrderStore } from "../../stores/order-store.ts";
import { defaultPageSize, markedToken } from "../inventory/page-token.ts";

interface OrderQuery {
  readonly pageSize?: number;
  /** Only orders with smaller ids. */
  readonly before: bigint | undefined;
  /** Every status if absent or unspecified. */
  readonly status?: OrderStatus;
  /** Every reference if empty. */
  readonly reference: string;
  /** Identifies the filters in the page token. */
  readonly mark: string;
  /** The number of orders after which a call reads no more, and how many it reads at once to find those that it wants. */
  readonly mostRead: number;
  readonly readAtOnce: number;
}

/** Returns a page of orders, and the token of the next one. A page of filtered orders can be short, or empty. */
export async function orderPage(
  read: OrderStore["listAll"],
  query: OrderQuery,
  context: CallContext,
): Promise<{ readonly orders: AccountOrderRecord[]; readonly nextPageToken: string }> {
  const { pageSize = defaultPageSize, before, status, reference, mark, mostRead } = query;
  const isWanted = (order: AccountOrderRecord) =>
    (!status || order.status === status) && (reference === "" || order.reference === reference);
  const found: AccountOrderRecord[] = [];
  const most = Math.min(pageSize, mostRead);
  const atOnce = status || reference !== "" ? Math.max(most, query.readAtOnce) : most;
  let next = before;
  for (let count = 0; count < mostRead; count += atOnce) {
    const { orders, next: after } = await read(next, atOnce, context);
    const wanted = orders.filter(isWanted);
    const room = pageSize - found.length;
    append(found, wanted.slice(0, room));
    next = wanted.length > room ? found.at(-1)?.orderId : after;
    if (next === undefined || found.length === pageSize) break;
  }
  return {
    orders: found,
    nextPageToken: next === undefined ? "" : markedToken("order", next, mark),
  };
}

/** Returns the function that reads pages of the orders of one account. */
export function pagesOfAccount(store: OrderStore, accountId: string): OrderStore["listAll"] {
  return async (...page) => {
    const { orders, more } = await store.list(accountId, ...page);
    const next = more ? orders.at(-1)?.orderId : undefined;
    return { orders: orders.map((order) => ({ ...order, accountId })), next };
  };
}
