import { type AccountOrder, AccountOrderSchema } from "../../../gen/admin/v1/admin_pb.ts";
import { type Order, OrderStatus, OrderStatusSchema } from "../../../gen/store/v1/store_pb.ts";
import { enumNumber, enumWord } from "../../call/enum-word.ts";
import { timeOr } from "../accounts/key-text.ts";
import type { NextOrderStatusWord, OrderStatusWord } from "../command-options.ts";
import type { Environment } from "../environment.ts";
import { parseOrderId, readOption } from "../output/field-text.ts";
import { printMessage, printMessages } from "../output/messages.ts";
import { type Column, details } from "../output/table.ts";
import { allPages, required, type Session, withSession } from "../session/session.ts";

/** Options of `orders list`. */
interface ListOrdersOptions {
  readonly status?: OrderStatusWord;
  readonly limit: number;
}

const orderSources = { account_id: "<account-id>", order_id: "<order-id>", status: "<status>" };

/** Prints orders, newest first. @throws CommandError */
export async function listOrders(
  environment: Environment,
  accountId = "",
  { status, limit }: ListOrdersOptions,
): Promise<void> {
  const wanted = { accountId, status: statusNumber(status) };
  const sources = { account_id: "[account-id]" };
  const orders = await withSession(environment, sources, ({ admin }) =>
    allPages(
      environment,
      limit,
      (page) => admin.listOrders({ ...wanted, ...page }),
      (page) => page.orders,
    ),
  );
  const columns: readonly (Column | string)[] = [
    "ID",
    "ACCOUNT",
    { title: "PET ID", isNumber: true },
    { title: "QUANTITY", isNumber: true },
    "STATUS",
    { title: "PLACED", isExtra: true },
  ];
  await printMessages(environment, AccountOrderSchema, orders, { columns, cellsOf });
}

/** Marks an order as approved or delivered. @throws CommandError */
export async function advanceOrder(
  environment: Environment,
  accountId: string,
  order: string,
  word: NextOrderStatusWord,
): Promise<void> {
  const orderId = readOption("<order-id>", parseOrderId, order);
  const request = { accountId, orderId, status: statusNumber(word) };
  await printResponse(environment, accountId, ({ admin }) => admin.advanceOrder(request));
}

/** Cancels an order. @throws CommandError */
export async function cancelOrder(
  environment: Environment,
  accountId: string,
  order: string,
): Promise<void> {
  const orderId = readOption("<order-id>", parseOrderId, order);
  await printResponse(environment, accountId, ({ admin }) =>
    admin.cancelOrder({ accountId, orderId }),
  );
}

/** Makes a call and prints the order in its response. */
async function printResponse(
  environment: Environment,
  accountId: string,
  call: (session: Session) => Promise<{ readonly order?: Order | undefined }>,
): Promise<void> {
  const { order } = await withSession(environment, orderSources, call);
  const found = { $typeName: AccountOrderSchema.typeName, accountId, order: required(order) };
  await printMessage(environment, AccountOrderSchema, found, (each) => details(cellsOf(each)));
}

function cellsOf({ accountId, order }: AccountOrder) {
  const { orderId, petId, quantity, status, placedAt } = required(order);
  return {
    id: String(orderId),
    account: accountId,
    "pet id": String(petId),
    quantity: String(quantity),
    status: enumWord(OrderStatusSchema, status),
    placed: timeOr(placedAt, ""),
  };
}

function statusNumber(word: OrderStatusWord | undefined): OrderStatus {
  return (enumNumber(OrderStatusSchema, word ?? "") ?? OrderStatus.UNSPECIFIED) as OrderStatus;
}
