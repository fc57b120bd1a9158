import type { CallContext } from "../../../call/context.ts";
import type { Connection } from "../connection/connection.ts";
import { orderCountKey, orderIndexKey } from "../keys.ts";
import { recordFields } from "../record.ts";
import { loadScript } from "../scripts.ts";

/** An order as the index has it. The id has leading zeros. */
export interface OrderEntry {
  readonly id: string;
  readonly accountId: string;
}

/**
 * Makes a function that reads the index of the orders of all accounts, newest first, from `+`, or `(` and an order id
 * with leading zeros.
 */
export function createOrderIndex(connection: Connection) {
  const listOrderIds = loadScript(connection, "list-order-ids");
  return async (from: string, limit: number, context?: CallContext): Promise<OrderEntry[]> => {
    const reply = await listOrderIds([orderIndexKey, orderCountKey], [from, limit], context);
    const [, ...entries] = reply as [number, ...string[]];
    return entries.map(entryOf);
  };
}

const entryForm = /^(\d{19}),([^,]+)$/;

/** Parses `<order id>,<account id>`. @throws Error if it is damaged */
function entryOf(entry: string): OrderEntry {
  const [id, accountId] = recordFields<[string, string]>(entryForm, entry, orderIndexKey, entry);
  return { id, accountId };
}
