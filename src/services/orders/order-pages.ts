import type { ListOrdersRequest, OrderStatus } from "../../../gen/store/v1/store_pb.ts";
import { append } from "../../common/append.ts";
import type { CallContext } from "../../common/call-context.ts";
import type { OrderRecord, OrderStore } from "../../stores/order-store.ts";
import {
  defaultPageSize,
  markedToken,
  pageTokenStale,
  startOfPage,
} from "../inventory/page-token.ts";

interface OrderQuery extends Pick<ListOrdersRequest, "pageSize" | "pageToken" | "reference"> {
  /** Empty for all accounts. */
  readonly accountId: string;
  /** Every status if absent or unspecified. */
  readonly status?: OrderStatus;
  /** Identifies the filters in the page token. */
  readonly mark: string;
  /** The number of orders after which a call reads no more, and how many it reads at once to find those that it wants. */
  readonly mostRead: number;
  readonly readAtOnce: number;
}

/**
 * Returns a page of orders, and the token of the next one. A page of filtered orders can be short, or empty.
 *
 * @throws ConnectError invalid_argument for the token of another list, or when the data was replaced since it was made
 */
export async function orderPage(
  store: OrderStore,
  query: OrderQuery,
  context: CallContext,
): Promise<{ readonly orders: OrderRecord[]; readonly nextPageToken: string }> {
  const before = startOfPage("order", query.pageToken, query.mark);
  const [{ orders, next }] = await Promise.all([
    readPage(store, before, query, context),
    before === undefined ? undefined : checkPosition(store, query.accountId, before, context),
  ]);
  return {
    orders,
    nextPageToken: next === undefined ? "" : markedToken("order", next, query.mark),
  };
}

async function readPage(
  store: OrderStore,
  before: bigint | undefined,
  { accountId, pageSize = defaultPageSize, status, reference, mostRead, readAtOnce }: OrderQuery,
  context: CallContext,
) {
  const isWanted = (order: OrderRecord) =>
    (!status || order.status === status) && (reference === "" || order.reference === reference);
  const orders: OrderRecord[] = [];
  const most = Math.min(pageSize, mostRead);
  const limit = status || reference !== "" ? Math.max(most, readAtOnce) : most;
  let next = before;
  for (let count = 0; count < mostRead; count += limit) {
    const query = { accountId: accountId || undefined, before: next, limit };
    const page = await store.list(query, context);
    const wanted = page.orders.filter(isWanted);
    const room = pageSize - orders.length;
    append(orders, wanted.slice(0, room));
    next = wanted.length > room ? orders.at(-1)?.orderId : page.next;
    if (next === undefined || orders.length === pageSize) break;
  }
  return { orders, next };
}

/** Checks the last order of the page before. If its account was deleted, a list of all accounts has other orders after it. */
async function checkPosition(
  store: OrderStore,
  accountId: string,
  orderId: bigint,
  context: CallContext,
): Promise<void> {
  if (store.mayBeRemoved(orderId)) return;
  if (accountId !== "") {
    if (!(await store.get(accountId, orderId, context))) throw pageTokenStale();
    return;
  }
  const { orders, next } = await store.list({ before: orderId, limit: 1 }, context);
  if (orders.length === 0 && next === undefined) throw pageTokenStale();
}
