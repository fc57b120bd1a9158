import { type AccountOrder, AccountOrderSchema } from "../../../gen/admin/v1/admin_pb.ts";
import { type Order, OrderStatus, OrderStatusSchema } from "../../../gen/store/v1/store_pb.ts";
import { enumNumber, enumWord } from "../../call/enum-word.ts";
import { httpJson } from "../../contract/http-json.ts";
import { timeOr } from "../accounts/key-text.ts";
import type { CommonOptions, NextOrderStatusWord, OrderStatusWord } from "../command-options.ts";
import type { Environment } from "../environment.ts";
import { parseOrderCount, parseOrderId, readOption } from "../output/field-text.ts";
import { details, jsonArray, printResult, table } from "../output/output.ts";
import { required, type Session, withSession } from "../session/session.ts";

/** Options of `orders list`. */
export interface ListOrdersOptions extends CommonOptions {
  readonly account?: string;
  readonly status?: OrderStatusWord;
  readonly last: string;
}

const orderSources = { account_id: "<account>", order_id: "<order-id>", status: "<status>" };

/** Prints orders, newest first. @throws CommandError */
export async function listOrders(
  environment: Environment,
  { account = "", status, last, ...options }: ListOrdersOptions,
): Promise<void> {
  const count = readOption("--last", parseOrderCount, last);
  const sources = { account_id: "--account", page_size: "--last" };
  const wanted = { accountId: account, status: statusNumber(status) };
  const orders = await withSession(environment, sources, (session) =>
    newestOrders(session, wanted, count),
  );
  await printResult(environment, options, {
    json: () => jsonArray(orders.map((each) => httpJson.encodeJson(AccountOrderSchema, each))),
    text: () =>
      table(
        ["ID", "ACCOUNT", "PET", "QUANTITY", "STATUS", "PLACED"],
        orders.map((each) => Object.values(cellsOf(each))),
      ),
  });
}

/** Reads orders page by page: with a status, a page can have few of them. */
async function newestOrders(
  { admin }: Session,
  wanted: { readonly accountId: string; readonly status: OrderStatus },
  count: number,
): Promise<AccountOrder[]> {
  const found: AccountOrder[] = [];
  let pageToken = "";
  do {
    const page = await admin.listOrders({ ...wanted, pageSize: count, pageToken });
    found.push(...page.orders);
    pageToken = page.nextPageToken;
  } while (pageToken !== "" && found.length < count);
  return found.slice(0, count);
}

/** Marks an order as approved or delivered. @throws CommandError */
export async function advanceOrder(
  environment: Environment,
  accountId: string,
  order: string,
  word: NextOrderStatusWord,
  options: CommonOptions,
): Promise<void> {
  const orderId = readOption("<order-id>", parseOrderId, order);
  const request = { accountId, orderId, status: statusNumber(word) };
  const advanced = await withSession(environment, orderSources, async ({ admin }) =>
    required((await admin.advanceOrder(request)).order),
  );
  await printOrder(environment, options, accountId, advanced);
}

/** Cancels an order. @throws CommandError */
export async function cancelOrder(
  environment: Environment,
  accountId: string,
  order: string,
  options: CommonOptions,
): Promise<void> {
  const orderId = readOption("<order-id>", parseOrderId, order);
  const cancelled = await withSession(environment, orderSources, async ({ admin }) =>
    required((await admin.cancelOrder({ accountId, orderId })).order),
  );
  await printOrder(environment, options, accountId, cancelled);
}

function printOrder(
  environment: Environment,
  options: CommonOptions,
  accountId: string,
  order: Order,
): Promise<void> {
  const value = { $typeName: AccountOrderSchema.typeName, accountId, order } as const;
  return printResult(environment, options, {
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
