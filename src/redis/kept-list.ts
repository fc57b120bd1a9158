import type { InventoryStore, ItemList } from "../inventory/inventory-store.ts";
import type { StockChange } from "../inventory/stock-change.ts";
import type { Connection } from "./connection.ts";
import { changesKeys, loadChangesSince, maxChangesAtOnce, readChangesAfter } from "./history.ts";
import { afterChanges } from "./item-changes.ts";

/** Changes that a list is brought up to date by; with more it is read anew. */
const maxChanges = 1_000;

/** A read, and when it began on the clock of performance.now(). */
interface Read {
  readonly beganAt: number;
  readonly list: Promise<ItemList>;
}

/** Asks Redis how a list has changed: keys, arguments and reply of changes-since.lua. */
type AskForChanges = (
  keys: readonly string[],
  args: readonly (string | number)[],
) => Promise<unknown>;

/** The whole list, as it is kept. */
export interface KeptList {
  readonly list: InventoryStore["list"];
  readonly prepareList: () => void;
  /**
   * Begins the read that waits for the turn of the event loop to end, if there is one: whoever has
   * something else to ask Redis then may ask both in one.
   *
   * @param mostChanges about how many are wanted along with it; where there are more, they are asked for
   * apart
   * @param ask is called at once, or not at all
   */
  begin(mostChanges: number, ask: AskForChanges): void;
}

/**
 * Reads the whole list by what has changed since it was read last: while nothing has, the very same list
 * is returned, frozen, so that whoever has written it down need not do so again. All reads of one turn of
 * the event loop are one; each begins after it was asked for, so none misses what was acknowledged before.
 *
 * @param readWhole reads all of it
 */
export function createKeptList(
  connection: Connection,
  readWhole: () => Promise<ItemList>,
): KeptList {
  const changesOfList = loadChangesSince(connection);
  let kept: ItemList | undefined;
  let waiting: PromiseWithResolvers<ItemList> | undefined;
  let latest: Read | undefined;

  async function read(mostChanges: number, ask: AskForChanges): Promise<ItemList> {
    const changed = kept && (await changedSince(kept, mostChanges, ask));
    if (changed) return changed;
    kept = frozen(await readWhole());
    return kept;
  }

  /** @returns undefined when so much has changed that it is better to read all, or the history is another */
  async function changedSince(
    list: ItemList,
    mostChanges: number,
    ask: AskForChanges,
  ): Promise<ItemList | undefined> {
    const changes: StockChange[] = [];
    let reply = ask(changesKeys, [String(list.version), mostChanges]);
    for (;;) {
      const version = changes.at(-1)?.version ?? list.version;
      const found = readChangesAfter(version, await reply);
      if (!found || changes.length + found.total > maxChanges) return undefined;
      changes.push(...found.changes);
      const last = changes.at(-1);
      if (!last) return list;
      if (found.changes.length >= found.total) {
        kept = frozen({ items: afterChanges(list.items, changes), version: last.version });
        return kept;
      }
      reply = changesOfList(changesKeys, [String(last.version), maxChangesAtOnce]);
    }
  }

  function readThisTurn(): Promise<ItemList> {
    if (!waiting) {
      waiting = Promise.withResolvers();
      setImmediate(begin, maxChangesAtOnce, changesOfList);
    }
    return waiting.promise;
  }

  function begin(mostChanges: number, ask: AskForChanges): void {
    if (!waiting) return;
    const { promise, resolve, reject } = waiting;
    waiting = undefined;
    const begun = { beganAt: performance.now(), list: promise };
    latest = begun;
    read(mostChanges, ask).then(resolve, (error: unknown) => {
      if (latest === begun) latest = undefined;
      reject(error);
    });
  }

  return {
    list: (since = Number.POSITIVE_INFINITY) =>
      latest !== undefined && latest.beganAt >= since ? latest.list : readThisTurn(),

    prepareList() {
      // A caller whose key was revoked a moment ago can cause it: it must not read the whole list.
      if (kept) readThisTurn().catch(() => {});
    },

    begin,
  };
}

function frozen(list: ItemList): ItemList {
  Object.freeze(list.items);
  return Object.freeze(list);
}
