import { create } from "@bufbuild/protobuf";
import { type AccountOrder, AccountOrderSchema } from "../../../gen/admin/v1/admin_pb.ts";
import { type Order, OrderStatusSchema } from "../../../gen/store/v1/store_pb.ts";
import { enumWord } from "../../common/enum-word.ts";
import { parseOrderId, parseOrderStatus, readOption, timeOr } from "../output/field-text.ts";
import { type Kind, listing, type OfAccount, showing } from "../session/kinds.ts";
import { nameColumn } from "../session/pets.ts";
import { required } from "../session/session.ts";

const orderOf = ({ order }: AccountOrder) => required(order);

const kind: Kind<typeof AccountOrderSchema, { readonly order?: Order }, OfAccount> = {
  desc: AccountOrderSchema,
  messageOf: ({ order }, { accountId }) =>
    create(AccountOrderSchema, { accountId, order: required(order) }),
  petsOf: (each) => [orderOf(each).petId],
  columns: (entries) => [
    { title: "ID", of: (each) => orderOf(each).orderId },
    { title: "ACCOUNT", of: ({ accountId }) => accountId },
    { title: "PET ID", of: (each) => orderOf(each).petId, isNumber: true },
    nameColumn<AccountOrder>(entries, (each) => orderOf(each).petId),
    { title: "QUANTITY", of: (each) => orderOf(each).quantity, isNumber: true },
    { title: "STATUS", of: (each) => enumWord(OrderStatusSchema, orderOf(each).status) },
    { title: "REFERENCE", of: (each) => orderOf(each).reference, isExtra: true, least: 12 },
    { title: "PLACED", of: (each) => timeOr(orderOf(each).placedAt, ""), isExtra: true },
  ],
};

interface ListOrdersOptions {
  readonly status?: string;
  readonly reference?: string;
}

/** Prints orders, newest first. @throws CommandError */
export const listOrders = listing(
  kind,
  { field: "orders" },
  (accountId: string | undefined, { status, reference = "" }: ListOrdersOptions) => ({
    accountId: accountId ?? "",
    reference,
    ...(status !== undefined && { status: parseOrderStatus(status) }),
  }),
  ({ admin }) => admin.listOrders,
);

/** Marks an order as approved or delivered. @throws CommandError */
export const advanceOrder = showing(
  kind,
  (accountId: string, order: string, status: string) => ({
    ...requestOf(accountId, order),
    status: parseOrderStatus(status),
  }),
  ({ admin }) => admin.advanceOrder,
);

/** Cancels an order. @throws CommandError */
export const cancelOrder = showing(kind, requestOf, ({ admin }) => admin.cancelOrder);

function requestOf(accountId: string, order: string) {
  return { accountId, orderId: readOption("<order-id>", parseOrderId, order) };
}
