import type { InventoryStore, ItemList } from "../inventory/inventory-store.ts";
import { stockKeys } from "./change-script.ts";
import type { Connection } from "./connection.ts";
import { createRedisHistory, type Entry, stockChange } from "./history.ts";
import { afterChanges } from "./item-changes.ts";
import { createItemPages } from "./item-pages.ts";
import { stockChangesKey } from "./keys.ts";
import { loadScript } from "./scripts.ts";
import { readWholeList } from "./whole-list.ts";

/** Changes that a list is brought up to date by; with more it is read anew. */
const maxChanges = 1_000;

/** A list, and what proves that it is of the history that the server has now. */
interface Kept {
  readonly list: ItemList;
  /** Fields of the change that gave the list its version. */
  readonly lastChange: string;
}

/** A read, and when it began on the clock of performance.now(). */
interface Read {
  readonly beganAt: number;
  readonly list: Promise<ItemList>;
}

/** Asks Redis how a list has changed: the arguments and the reply of list_changes. */
type AskForChanges = (args: readonly (string | number)[]) => Promise<unknown>;

/** The whole list, as it is kept. */
export interface KeptList {
  readonly list: InventoryStore["list"];
  readonly prepareList: () => void;
  /**
   * Begins the read that waits for the turn of the event loop to end, if there is one: whoever has
   * something else to ask Redis then may ask both in one.
   *
   * @param ask is called at once, or not at all
   */
  begin(ask: AskForChanges): void;
}

/**
 * Reads the whole list by what has changed since it was read last: while nothing has, the very same list
 * is returned, frozen, so that whoever has written it down need not do so again. All reads of one turn of
 * the event loop are one; each begins after it was asked for, so none misses what was acknowledged before.
 */
export function createKeptList(connection: Connection): KeptList {
  const { redis, guard } = connection;
  const changesOfList = loadScript(connection, "stock", "list-changes", "changes-of-list");
  const page = createItemPages(connection);
  const { changesSince } = createRedisHistory(connection);
  let kept: Kept | undefined;
  let waiting: PromiseWithResolvers<ItemList> | undefined;
  let latest: Read | undefined;

  async function read(ask: AskForChanges): Promise<ItemList> {
    const changed = kept && (await changedSince(kept, ask));
    if (changed) return changed;
    const list = frozen(await readWholeList(page, changesSince));
    const id = `${list.version}-0`;
    const [entry] = await guard(redis.xrange(stockChangesKey, id, id));
    kept = entry && { list, lastChange: fieldsOf(entry) };
    return list;
  }

  async function changedSince(
    { list, lastChange }: Kept,
    ask: AskForChanges,
  ): Promise<ItemList | undefined> {
    const reply = await ask([String(list.version), lastChange, maxChanges]);
    if (reply === "=") return list;
    if (!reply) return undefined;
    const [version, entries] = reply as readonly [string, readonly Entry[]];
    const last = entries.at(-1);
    if (!last || last[0] !== `${version}-0`) return undefined;
    const items = afterChanges(list.items, entries.map(stockChange));
    const changed = frozen({ items, version: BigInt(version) });
    kept = { list: changed, lastChange: fieldsOf(last) };
    return changed;
  }

  function readThisTurn(): Promise<ItemList> {
    if (!waiting) {
      waiting = Promise.withResolvers();
      setImmediate(begin, (args: readonly (string | number)[]) => changesOfList(stockKeys, args));
    }
    return waiting.promise;
  }

  function begin(ask: AskForChanges): void {
    if (!waiting) return;
    const { promise, resolve, reject } = waiting;
    waiting = undefined;
    const begun = { beganAt: performance.now(), list: promise };
    latest = begun;
    read(ask).then(resolve, (error: unknown) => {
      if (latest === begun) latest = undefined;
      reject(error);
    });
  }

  return {
    list: (since = Number.POSITIVE_INFINITY) =>
      latest !== undefined && latest.beganAt >= since ? latest.list : readThisTurn(),

    prepareList() {
      // A stranger can ask for it: to read what has changed costs little, to read all of it does not.
      if (kept) readThisTurn().catch(() => {});
    },

    begin,
  };
}

function frozen(list: ItemList): ItemList {
  Object.freeze(list.items);
  return Object.freeze(list);
}

function fieldsOf([, fields]: Entry): string {
  return fields.join("\0");
}
