import { create } from "@bufbuild/protobuf";
import { type AccountOrder, AccountOrderSchema } from "../../../gen/admin/v1/admin_pb.ts";
import { type Order, OrderStatus, OrderStatusSchema } from "../../../gen/store/v1/store_pb.ts";
import { enumNumber, enumWord } from "../../call/enum-word.ts";
import type { NextOrderStatusWord, OrderStatusWord } from "../command-options.ts";
import { parseOrderId, readOption, timeOr } from "../output/field-text.ts";
import { type Kind, listing, showing } from "../session/kinds.ts";
import { required } from "../session/session.ts";

const orderOf = ({ order }: AccountOrder) => required(order);

const kind: Kind<typeof AccountOrderSchema, { readonly order?: Order }, AccountRequest> = {
  desc: AccountOrderSchema,
  messageOf: ({ order }, { accountId }) =>
    create(AccountOrderSchema, { accountId, order: required(order) }),
  columns: [
    { title: "ID", of: (each) => orderOf(each).orderId },
    { title: "ACCOUNT", of: ({ accountId }) => accountId },
    { title: "PET ID", of: (each) => orderOf(each).petId, isNumber: true },
    { title: "QUANTITY", of: (each) => orderOf(each).quantity, isNumber: true },
    { title: "STATUS", of: (each) => enumWord(OrderStatusSchema, orderOf(each).status) },
    { title: "PLACED", of: (each) => timeOr(orderOf(each).placedAt, ""), isExtra: true },
  ],
};

/** A request for something of an account. */
interface AccountRequest {
  readonly accountId: string;
}

/** Prints orders, newest first. @throws CommandError */
export const listOrders = listing(
  kind,
  "orders",
  (accountId: string | undefined, { status }: { readonly status?: OrderStatusWord }) => ({
    accountId: accountId ?? "",
    status: statusNumber(status),
  }),
  ({ admin }, request) => admin.listOrders(request),
);

/** Marks an order as approved or delivered. @throws CommandError */
export const advanceOrder = showing(
  kind,
  (accountId: string, order: string, word: NextOrderStatusWord) => ({
    ...requestOf(accountId, order),
    status: statusNumber(word),
  }),
  ({ admin }, request) => admin.advanceOrder(request),
);

/** Cancels an order. @throws CommandError */
export const cancelOrder = showing(kind, requestOf, ({ admin }, request) =>
  admin.cancelOrder(request),
);

function requestOf(accountId: string, order: string) {
  return { accountId, orderId: readOption("<order-id>", parseOrderId, order) };
}

function statusNumber(word: OrderStatusWord | undefined): OrderStatus {
  return (enumNumber(OrderStatusSchema, word ?? "") ?? OrderStatus.UNSPECIFIED) as OrderStatus;
}
