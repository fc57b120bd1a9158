import type { InventoryStore } from "../../inventory-store.ts";
import type { Connection } from "../connection/connection.ts";
import { stockKeys } from "../keys.ts";
import { loadScript } from "../scripts.ts";
import { lineItem } from "./item-value.ts";

/** Makes a function that reads pages of the stock. */
export function createItemPages(connection: Connection): InventoryStore["page"] {
  const listItems = loadScript(connection, "list-items");
  return async (after, limit, context) => {
    // One more than the limit shows whether another page follows.
    const reply = await listItems(stockKeys, [String(after ?? ""), limit + 1], context);
    const [version, text] = reply as readonly [string, string];
    const lines = text === "" ? [] : text.split("\n");
    return {
      items: lines.slice(0, limit).map(lineItem),
      version: BigInt(version),
      more: lines.length > limit,
    };
  };
}
