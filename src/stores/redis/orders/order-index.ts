import type { CallContext } from "../../../call/context.ts";
import { singleFlight } from "../../../call/single-flight.ts";
import type { Connection } from "../connection/connection.ts";
import { accountIndexKey, orderCountKey, orderIndexKey, ordersKey } from "../keys.ts";
import { loadScript } from "../scripts.ts";

/** Accounts whose orders one script call adds. */
const accountsAtOnce = 100;
/** Most orders that one script call adds. It takes Redis about a millisecond. */
const ordersAtOnce = 500;

/** An order as the index has it. The id has leading zeros. */
export interface OrderEntry {
  readonly id: string;
  readonly accountId: string;
}

/**
 * Makes a function that reads the index of the orders of all accounts, newest first, from `+`, or `(` and an order id
 * with leading zeros. Earlier versions of the service placed orders without an entry, and entries can be lost. A read
 * that finds out adds the missing entries first. Concurrent reads wait for that together.
 */
export function createOrderIndex(connection: Connection) {
  const listOrderIds = loadScript(connection, "list-order-ids");
  const listAccounts = loadScript(connection, "list-accounts");
  const addOrders = createOrderAdder(connection);
  const endOrderIndex = loadScript(connection, "end-order-index");
  const keys = [orderIndexKey, orderCountKey];

  async function readPage(from: string, limit: number, context?: CallContext) {
    const reply = await listOrderIds(keys, [from, limit], context);
    const [isComplete, ...entries] = reply as [number, ...string[]];
    return { isComplete: isComplete === 1, entries: entries.map(entryOf) };
  }

  const addMissing = singleFlight(async () => {
    let begin: string[] = [];
    for (;;) {
      // Ids and times of creation, which alternate.
      const reply = (await listAccounts([accountIndexKey], [accountsAtOnce, ...begin])) as string[];
      if (reply.length === 0) break;
      await addOrders(reply.filter((_, at) => at % 2 === 0));
      begin = reply.slice(-2);
    }
    await endOrderIndex(keys, []);
  });

  return async (from: string, limit: number, context?: CallContext): Promise<OrderEntry[]> => {
    const page = await readPage(from, limit, context);
    if (page.isComplete) return page.entries;
    await addMissing();
    return (await readPage(from, limit, context)).entries;
  };
}

/** Makes a function that adds the missing entries of accounts to the index of all orders. */
export function createOrderAdder(connection: Connection) {
  const indexOrders = loadScript(connection, "index-orders");
  return async (accountIds: readonly string[]): Promise<void> => {
    let left = accountIds;
    let after = "";
    while (left.length > 0) {
      const keys = [orderIndexKey, ...left.map(ordersKey)];
      const reply = await indexOrders(keys, [after, ordersAtOnce, ...left]);
      if (!reply) return;
      const [number, order] = reply as [number, string];
      left = left.slice(number - 1);
      after = order;
    }
  };
}

/** Parses `<order id>,<account id>`. */
function entryOf(entry: string): OrderEntry {
  const [id = "", accountId = ""] = entry.split(",");
  return { id, accountId };
}
