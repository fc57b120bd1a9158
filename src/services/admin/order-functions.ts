import { create } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import { AccountOrderSchema, type AdminService } from "../../../gen/admin/v1/admin_pb.ts";
import { ChangeReason } from "../../../gen/inventory/v1/inventory_pb.ts";
import { OrderStatus, OrderStatusSchema } from "../../../gen/store/v1/store_pb.ts";
import { storeContext } from "../../common/call-context.ts";
import { enumWord } from "../../common/enum-word.ts";
import { fieldInvalid } from "../../contract/errors.ts";
import type { Stores } from "../../stores/stores.ts";
import { recordOrigin } from "../inventory/change-once.ts";
import { markOf } from "../inventory/page-token.ts";
import { orderNotFound, orderStatusConflict } from "../orders/errors.ts";
import { orderMessage, requireCancelled } from "../orders/order-message.ts";
import { orderPage } from "../orders/order-pages.ts";

/** Most orders that one call reads. Each one of a list of all accounts is a command. */
const mostRead = 300;

/** Fewest orders that are read at once to find those that a list wants. */
const readAtOnce = 150;

/** Creates the methods of admin.v1.AdminService for orders. */
export function orderFunctions({ orders: store }: Pick<Stores, "orders">) {
  return {
    async listOrders(request, context) {
      const { accountId, status, reference } = request;
      const mark =
        accountId || status || reference ? markOf(`${accountId} ${status} ${reference}`) : "";
      const query = { ...request, mark, mostRead, readAtOnce };
      const page = await orderPage(store, query, storeContext(context));
      const orders = page.orders.map((order) =>
        create(AccountOrderSchema, { accountId: order.accountId, order: orderMessage(order) }),
      );
      return { ...page, orders };
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
