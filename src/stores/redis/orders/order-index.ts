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

/** The index of the orders of all accounts. */
export interface OrderIndex {
  /**
   * Returns entries, newest first.
   *
   * @param from where to begin: `+`, or `(` and an order id with leading zeros
   */
  read(from: string, limit: number, context?: CallContext): Promise<OrderEntry[]>;
}

/**
 * Makes the index of the orders of all accounts. Earlier versions of the service placed orders without an entry, and
 * entries can be lost. A read that finds out adds the missing entries first. Concurrent reads wait for that together.
 */
export function createOrderIndex(connection: Connection): OrderIndex {
  const listOrderIds = loadScript(connection, "list-order-ids");
  const listAccounts = loadScript(connection, "list-accounts");
  const addOrders = createOrderAdder(connection);
  const endOrderIndex = loadScript(connection, "end-order-index");
  const complete = singleFlight(addMissing);

  async function readPage(from: string, limit: number, context?: CallContext) {
    const keys = [orderIndexKey, orderCountKey];
    const [isComplete, ...entries] = (await listOrderIds(keys, [from, limit], context)) as [
      number,
      ...string[],
    ];
    return { isComplete: isComplete === 1, entries: entries.map(entryOf) };
  }

  async function addMissing(): Promise<void> {
    for await (const accountIds of accounts()) await addOrders(accountIds);
    await endOrderIndex([orderIndexKey, orderCountKey], []);
  }

  /** All accounts, in groups. */
  async function* accounts(): AsyncGenerator<string[]> {
    let begin: string[] = [];
    for (;;) {
      // Ids and times of creation, which alternate.
      const reply = (await listAccounts([accountIndexKey], [accountsAtOnce, ...begin])) as string[];
      if (reply.length === 0) return;
      yield reply.filter((_, at) => at % 2 === 0);
      begin = reply.slice(-2);
    }
  }

  return {
    async read(from, limit, context) {
      const page = await readPage(from, limit, context);
      if (page.isComplete) return page.entries;
      await complete();
      return (await readPage(from, limit, context)).entries;
    },
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
