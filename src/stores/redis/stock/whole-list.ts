import { append } from "../../../common/append.ts";
import {
  changesBetween,
  type InventoryStore,
  type ItemPage,
  type ListedItem,
  type WholeList,
} from "../../inventory-store.ts";
import { listedItem } from "../../item-message.ts";
import type { StockChange } from "../../stock-change.ts";
import type { Connection } from "../connection/connection.ts";
import type { History } from "../history/history.ts";
import { afterChanges } from "../history/item-changes.ts";
import { stockKeys } from "../keys.ts";
import { loadScript } from "../scripts.ts";
import { lineItem } from "./item-value.ts";

/** Items or changes that one script call reads, which bounds how long it blocks Redis. */
const pageSize = 1_000;

/** How long after its last page a failed read can be continued, in milliseconds. */
const continuedWithinMs = 10_000;

interface PartialRead {
  readonly items: ListedItem[];
  /** The changes between the first page and the last one so far, in order. */
  readonly missed: StockChange[];
  /** The version of the stock at the last page so far. */
  version: bigint;
  /** When the last page was read, on the clock of performance.now(). */
  readAt: number;
}

/**
 * Makes a function that reads the whole list page by page, as it is at one version of the stock. The history supplies the
 * changes between two pages, or the read starts over. After a failure, the next call continues with the failed page, because
 * a server can be slow at times. Calls must not overlap.
 */
export function createWholeListReader(
  page: (after: bigint | undefined, limit: number) => Promise<ItemPage>,
  changesSince: History["changesSince"],
): () => Promise<WholeList> {
  let partial: PartialRead | undefined;

  return async () => {
    if (partial && performance.now() - partial.readAt > continuedWithinMs) partial = undefined;
    for (;;) {
      const read = await readPages();
      partial = undefined;
      // There were too many changes in the meantime, or the stock was replaced.
      if (!read) continue;
      const { items, missed, version } = read;
      return { items: missed.length > 0 ? afterChanges(items, missed) : items, version };
    }
  };

  /** @returns undefined when the history lacks changes between pages, or has been replaced */
  async function readPages(): Promise<PartialRead | undefined> {
    let next = await page(partial?.items.at(-1)?.petId, pageSize);
    const read = partial ?? { items: [], missed: [], version: next.version, readAt: 0 };
    partial = read;
    for (;;) {
      const { items, version, more } = next;
      const missed = await changesUpTo(read.version, version);
      if (!missed) return undefined;
      // Redis reads the next page while the process makes messages of this one.
      const following = more ? page(items.at(-1)?.petId, pageSize) : undefined;
      for (const item of items) read.items.push(listedItem(item));
      for (const change of missed) read.missed.push(change);
      read.version = version;
      read.readAt = performance.now();
      if (!following) return read;
      next = await following;
    }
  }

  async function changesUpTo(from: bigint, to: bigint): Promise<StockChange[] | undefined> {
    const found: StockChange[] = [];
    const parts = changesBetween(changesSince, from, to, pageSize);
    let next = await parts.next();
    for (; !next.done; next = await parts.next()) append(found, next.value);
    return next.value ? found : undefined;
  }
}

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
