import type { ServiceImpl } from "@connectrpc/connect";
import { ChangeReason } from "../../../gen/inventory/v1/inventory_pb.ts";
import { StoreService } from "../../../gen/store/v1/store_pb.ts";
import { callerOf } from "../../access/caller.ts";
import type { PayFor } from "../../access/change-paid.ts";
import { keyInvalid } from "../../access/errors.ts";
import { storeContext } from "../../common/call-context.ts";
import type { OrderLimit, Placed } from "../../stores/order-store.ts";
import type { Refusal } from "../../stores/stock-change.ts";
import type { Stores } from "../../stores/stores.ts";
import { orderLimitReached } from "../holds/errors.ts";
import { ownHoldFunctions } from "../holds/hold-functions.ts";
import { type ChangeOnce, recordOrigin } from "../inventory/change-once.ts";
import { markOf } from "../inventory/page-token.ts";
import { refusalError } from "../inventory/refusals.ts";
import { orderNotFound } from "./errors.ts";
import { orderMessage, requireCancelled } from "./order-message.ts";
import { orderPage } from "./order-pages.ts";

/** The number of orders that one call reads to find those with a reference: those of the largest page. */
const mostRead = 1_000;

const byOrder = { reason: ChangeReason.ORDER };

/** Creates store.v1.StoreService: the orders and holds of the calling account. */
export function createStoreService(
  stores: Pick<Stores, "holds" | "orders">,
  changeOnce: ChangeOnce,
  payFor: PayFor,
): ServiceImpl<typeof StoreService> {
  const { orders } = stores;
  return {
    ...ownHoldFunctions(stores, payFor),
    placeOrder(request, context) {
      const { petId, quantity, reference } = request;
      const order = { petId, quantity, reference };
      const { accountId } = callerOf(context);
      return changeOnce(
        { method: StoreService.method.placeOrder, request, context },
        (change) => orders.place(accountId, order, change, storeContext(context)),
        (outcome: Placed | Refusal | OrderLimit | { readonly kind: "no_account" }) => {
          // The account was deleted after the request was admitted. Its keys do not exist any more.
          if (outcome.kind === "no_account") throw keyInvalid();
          if (outcome.kind === "order_limit") throw orderLimitReached(outcome.most);
          if (outcome.kind !== "placed") throw refusalError(petId, outcome, -quantity);
          return { order: orderMessage(outcome.order) };
        },
        byOrder,
      );
    },
    async cancelOrder({ orderId }, context) {
      const origin = recordOrigin(context, byOrder);
      const { accountId } = callerOf(context);
      const outcome = await orders.cancel(accountId, orderId, origin, storeContext(context));
      return { order: requireCancelled(orderId, outcome) };
    },
    async listOrders(request, context) {
      const { accountId } = callerOf(context);
      const mark = request.reference === "" ? "" : markOf(request.reference);
      const query = { ...request, accountId, mark, mostRead, readAtOnce: mostRead };
      const page = await orderPage(orders, query, storeContext(context));
      return { ...page, orders: page.orders.map(orderMessage) };
    },
    async getOrder({ orderId }, context) {
      const order = await orders.get(callerOf(context).accountId, orderId, storeContext(context));
      if (!order) throw orderNotFound(orderId);
      return { order: orderMessage(order) };
    },
  };
}
