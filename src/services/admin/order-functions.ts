import { create } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import { AccountOrderSchema, type AdminService } from "../../../gen/admin/v1/admin_pb.ts";
import { ChangeReason } from "../../../gen/inventory/v1/inventory_pb.ts";
import { OrderStatus, OrderStatusSchema } from "../../../gen/store/v1/store_pb.ts";
import { type CallContext, storeContext } from "../../common/call-context.ts";
import { enumWord } from "../../common/enum-word.ts";
import { fieldInvalid } from "../../contract/errors.ts";
import type { Stores } from "../../stores/stores.ts";
import { recordOrigin } from "../inventory/change-once.ts";
import { markOf, pageTokenStale, startOfPage } from "../inventory/page-token.ts";
import { orderNotFound, orderStatusConflict } from "../orders/errors.ts";
import { orderMessage, requireCancelled } from "../orders/order-message.ts";
import { orderPage, pagesOfAccount } from "../orders/order-pages.ts";

/** Most orders that one call reads. Each one of a list of all accounts is a command. */
const mostRead = 300;

/** Fewest orders that are read at once to find those that a list wants. */
const readAtOnce = 150;

/** Creates the methods of admin.v1.AdminService for orders. */
export function orderFunctions({ orders: store }: Pick<Stores, "orders">) {
  /**
   * Checks the order of a page token. If its account was deleted, other orders follow.
   *
   * @throws ConnectError invalid_argument when the data was replaced since the token was made
   */
  async function checkPosition(accountId: string, orderId: bigint, context: CallContext) {
    if (store.mayBeRemoved(orderId)) return;
    const { orders, next } =
      accountId === ""
        ? await store.listAll(orderId, 1, context)
        : { orders: [], next: await store.get(accountId, orderId, context) };
    if (orders.length === 0 && next === undefined) throw pageTokenStale();
  }

  return {
    async listOrders(request, context) {
      const { pageToken, accountId, status, reference } = request;
      const call = storeContext(context);
      const mark =
        accountId || status || reference ? markOf(`${accountId} ${status} ${reference}`) : "";
      const before = startOfPage("order", pageToken, mark);
      if (before !== undefined) await checkPosition(accountId, before, call);
      const pages = accountId === "" ? store.listAll : pagesOfAccount(store, accountId);
      const query = { ...request, before, mark, mostRead, readAtOnce };
      const page = await orderPage(pages, query, call);
      return {
        ...page,
        orders: page.orders.map(({ accountId: of, ...order }) =>
          create(AccountOrderSchema, { accountId: of, order: orderMessage(order) }),
        ),
      };
    },
    async cancelOrder({ accountId, orderId }, context) {
      const origin = recordOrigin(context, { reason: ChangeReason.ORDER });
      const outcome = await store.cancel(accountId, orderId, origin, storeContext(context));
      return { order: requireCancelled(orderId, outcome) };
    },
    async advanceOrder({ accountId, orderId, status }, context) {
      if (status !== OrderStatus.APPROVED && status !== OrderStatus.DELIVERED) {
        throw fieldInvalid("status", "must be approved or delivered");
      }
      const advanced = await store.advance(accountId, orderId, status, storeContext(context));
      if (advanced === "no_order") throw orderNotFound(orderId);
      if (!("orderId" in advanced)) {
        throw orderStatusConflict(orderId, enumWord(OrderStatusSchema, advanced.status));
      }
      return { order: orderMessage(advanced) };
    },
  } satisfies Partial<ServiceImpl<typeof AdminService>>;
}
