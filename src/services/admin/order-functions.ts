import { create } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import { AccountOrderSchema, type AdminService } from "../../../gen/admin/v1/admin_pb.ts";
import { ChangeReason } from "../../../gen/inventory/v1/inventory_pb.ts";
import { OrderStatus, OrderStatusSchema } from "../../../gen/store/v1/store_pb.ts";
import { append } from "../../common/append.ts";
import { type CallContext, storeContext } from "../../common/call-context.ts";
import { enumWord } from "../../common/enum-word.ts";
import { fieldInvalid } from "../../contract/errors.ts";
import type { AccountOrderRecord, OrderStore } from "../../stores/order-store.ts";
import type { Stores } from "../../stores/stores.ts";
import { recordOrigin } from "../inventory/change-once.ts";
import {
  defaultPageSize,
  pageToken,
  pageTokenStale,
  startOfPage,
} from "../inventory/page-token.ts";
import { orderNotFound, orderStatusConflict } from "../orders/errors.ts";
import { orderMessage, requireCancelled } from "../orders/order-message.ts";

/** Most orders that one call reads. Each one of a list of all accounts is a command. */
const maxRead = 300;

/** Fewest orders that are read at once to check their status. */
const checkedAtOnce = 150;

/** Creates the methods of admin.v1.AdminService for orders. */
export function orderFunctions({ orders: store }: Pick<Stores, "orders">) {
  /** Returns pages of the orders of one account, or of all accounts if the id is empty. */
  function pagesOf(accountId: string): OrderStore["listAll"] {
    if (accountId === "") return store.listAll;
    return async (...page) => {
      const { orders, more } = await store.list(accountId, ...page);
      const next = more ? orders.at(-1)?.orderId : undefined;
      return { orders: orders.map((order) => ({ ...order, accountId })), next };
    };
  }

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
    async listOrders({ pageSize = defaultPageSize, pageToken: token, accountId, status }, context) {
      const found: AccountOrderRecord[] = [];
      const call = storeContext(context);
      const page = pagesOf(accountId);
      let next = startOfPage("order", token);
      if (next !== undefined) await checkPosition(accountId, next, call);
      const most = Math.min(pageSize, maxRead);
      const readAtOnce = status ? Math.max(most, checkedAtOnce) : most;
      for (let read = 0; read < maxRead; read += readAtOnce) {
        const { orders, next: after } = await page(next, readAtOnce, call);
        const wanted = orders.filter((order) => !status || order.status === status);
        const room = pageSize - found.length;
        append(found, wanted.slice(0, room));
        next = wanted.length > room ? found.at(-1)?.orderId : after;
        if (next === undefined || found.length === pageSize) break;
      }
      return {
        orders: found.map(({ accountId: of, ...order }) =>
          create(AccountOrderSchema, { accountId: of, order: orderMessage(order) }),
        ),
        nextPageToken: next === undefined ? "" : pageToken("order", next),
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
