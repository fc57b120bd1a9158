import { type AccountOrder, AccountOrderSchema } from "../../../gen/admin/v1/admin_pb.ts";
import { type Order, OrderStatus, OrderStatusSchema } from "../../../gen/store/v1/store_pb.ts";
import { enumNumber, enumWord } from "../../call/enum-word.ts";
import { httpJson } from "../../contract/http-json.ts";
import { timeOr } from "../accounts/key-text.ts";
import type { NextOrderStatusWord, OrderStatusWord } from "../command-options.ts";
import type { Environment } from "../environment.ts";
import { parseOrderCount, parseOrderId, readOption } from "../output/field-text.ts";
import { details, jsonArray, printResult, table } from "../output/output.ts";
import { allPages, required, withSession } from "../session/session.ts";

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
  await printResult(environment, {
    json: () => jsonArray(orders.map((each) => httpJson.encodeJson(AccountOrderSchema, each))),
    text: () =>
      table(
        ["ID", "ACCOUNT", "PET", "QUANTITY", "STATUS", "PLACED"],
        orders.map((each) => Object.values(cellsOf(each))),
      ),
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
  const advanced = await withSession(environment, orderSources, async ({ admin }) =>
    required((await admin.advanceOrder(request)).order),
  );
  await printOrder(environment, accountId, advanced);
}

/** Cancels an order. @throws CommandError */
export async function cancelOrder(
  environment: Environment,
  accountId: string,
  order: string,
): Promise<void> {
  const orderId = readOption("<order-id>", parseOrderId, order);
  const cancelled = await withSession(environment, orderSources, async ({ admin }) =>
    required((await admin.cancelOrder({ accountId, orderId })).order),
  );
  await printOrder(environment, accountId, cancelled);
}

function printOrder(environment: Environment, accountId: string, order: Order): Promise<void> {
  const value = { $typeName: AccountOrderSchema.typeName, accountId, order } as const;
  return printResult(environment, {
    json: () => httpJson.encodeJson(AccountOrderSchema, value),
    text: () => details(cellsOf(value)),
  });
}

function cellsOf({ accountId, order }: Pick<AccountOrder, "accountId" | "order">) {
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
