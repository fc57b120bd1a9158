import { create } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import {
  type AccountOrder,
  AccountOrderSchema,
  type AdminService,
} from "../../../gen/admin/v1/admin_pb.ts";
import { ChangeReason } from "../../../gen/inventory/v1/inventory_pb.ts";
import { OrderStatus, OrderStatusSchema } from "../../../gen/store/v1/store_pb.ts";
import { append } from "../../call/append.ts";
import type { CallContext } from "../../call/context.ts";
import { enumWord } from "../../call/enum-word.ts";
import { storeContext } from "../../call/request-info.ts";
import { fieldsInvalid } from "../../contract/errors.ts";
import type { AccountOrderRecord, AllOrdersPage } from "../../stores/order-store.ts";
import type { Stores } from "../../stores/stores.ts";
import { originOf } from "../inventory/inventory-service.ts";
import {
  defaultPageSize,
  pageToken,
  pageTokenStale,
  startOfPage,
} from "../inventory/page-token.ts";
import { cancelledOrder } from "../orders/cancelled-order.ts";
import { orderNotFound, orderStatusConflict } from "../orders/errors.ts";
import { orderMessage } from "../orders/order-message.ts";

/** Most orders that one call reads. Each one of a list of all accounts is a command. */
const maxRead = 300;

/** Fewest orders that are read at once to check their status. */
const checkedAtOnce = 150;

/** Creates the methods of admin.v1.AdminService for orders. */
export function orderFunctions({ orders: store }: Pick<Stores, "orders">) {
  /** Returns a page of the orders of one account, or of all accounts if the id is empty. */
  async function page(
    accountId: string,
    before: bigint | undefined,
    limit: number,
    context: CallContext,
  ): Promise<AllOrdersPage> {
    if (accountId === "") return store.listAll(before, limit, context);
    const { orders, more } = await store.list(accountId, before, limit, context);
    return {
      orders: orders.map((order) => ({ ...order, accountId })),
      next: more ? orders.at(-1)?.orderId : undefined,
    };
  }

  /**
   * Checks the order of a page token. If its account was deleted, other orders follow.
   *
   * @throws ConnectError invalid_argument when the data was replaced since the token was made
   */
  async function checkPosition(
    accountId: string,
    orderId: bigint,
    context: CallContext,
  ): Promise<void> {
    if (store.mayBeRemoved(orderId)) return;
    if (accountId !== "") {
      if (!(await store.get(accountId, orderId, context))) throw pageTokenStale();
      return;
    }
    const { orders, next } = await store.listAll(orderId, 1, context);
    if (orders.length === 0 && next === undefined) throw pageTokenStale();
  }

  return {
    async listOrders({ pageSize = defaultPageSize, pageToken: token, accountId, status }, context) {
      const found: AccountOrderRecord[] = [];
      let next = startOfPage("order", token);
      if (next !== undefined) await checkPosition(accountId, next, storeContext(context));
      const most = Math.min(pageSize, maxRead);
      const readAtOnce = status ? Math.max(most, checkedAtOnce) : most;
      for (let read = 0; read < maxRead; read += readAtOnce) {
        const { orders, next: after } = await page(
          accountId,
          next,
          readAtOnce,
          storeContext(context),
        );
        const wanted = orders.filter((order) => !status || order.status === status);
        const room = pageSize - found.length;
        append(found, wanted.slice(0, room));
        next = wanted.length > room ? found.at(-1)?.orderId : after;
        if (next === undefined || found.length === pageSize) break;
      }
      return {
        orders: found.map(accountOrder),
        nextPageToken: next === undefined ? "" : pageToken("order", next),
      };
    },

    async cancelOrder({ accountId, orderId }, context) {
      const origin = originOf(context, { reason: ChangeReason.ORDER });
      const outcome = await store.cancel(accountId, orderId, origin, storeContext(context));
      return { order: cancelledOrder(orderId, outcome) };
    },

    async advanceOrder({ accountId, orderId, status }, context) {
      if (status !== OrderStatus.APPROVED && status !== OrderStatus.DELIVERED) {
        throw fieldsInvalid([{ field: "status", description: "must be approved or delivered" }]);
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

function accountOrder({ accountId, ...order }: AccountOrderRecord): AccountOrder {
  return create(AccountOrderSchema, { accountId, order: orderMessage(order) });
}
