import { type AccountOrder, AccountOrderSchema } from "../../../gen/admin/v1/admin_pb.ts";
import { type Order, OrderStatus, OrderStatusSchema } from "../../../gen/store/v1/store_pb.ts";
import { enumNumber, enumWord } from "../../call/enum-word.ts";
import { timeOr } from "../accounts/key-text.ts";
import type { NextOrderStatusWord, OrderStatusWord } from "../command-options.ts";
import type { Environment } from "../environment.ts";
import { parseOrderCount, parseOrderId, readOption } from "../output/field-text.ts";
import { printMessage, printMessages } from "../output/messages.ts";
import { details } from "../output/output.ts";
import { allPages, required, type Session, withSession } from "../session/session.ts";

/** Options of `orders list`. */
interface ListOrdersOptions {
  readonly account?: string;
  readonly status?: OrderStatusWord;
  readonly last: string;
}

const orderSources = { account_id: "<account>", order_id: "<order-id>", status: "<status>" };

/** Prints orders, newest first. @throws CommandError */
export async function listOrders(
  environment: Environment,
  { account = "", status, last }: ListOrdersOptions,
): Promise<void> {
  const count = readOption("--last", parseOrderCount, last);
  const sources = { account_id: "--account", page_size: "--last" };
  const wanted = { accountId: account, status: statusNumber(status) };
  // With a status, a page can have few orders.
  const orders = await withSession(environment, sources, ({ admin }) =>
    allPages(
      (pageToken) => admin.listOrders({ ...wanted, pageSize: count, pageToken }),
      (page) => page.orders,
      count,
    ),
  );
  await printMessages(environment, AccountOrderSchema, orders, {
    header: ["ID", "ACCOUNT", "PET", "QUANTITY", "STATUS", "PLACED"],
    cellsOf: (order) => Object.values(cellsOf(order)),
  });
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
    pet: String(petId),
    quantity: String(quantity),
    status: enumWord(OrderStatusSchema, status),
    placed: timeOr(placedAt, ""),
  };
}

function statusNumber(word: OrderStatusWord | undefined): OrderStatus {
  return (enumNumber(OrderStatusSchema, word ?? "") ?? OrderStatus.UNSPECIFIED) as OrderStatus;
}
