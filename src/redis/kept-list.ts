import type { InventoryStore, ItemList } from "../inventory/inventory-store.ts";
import type { Connection } from "./connection.ts";
import { type Entry, stockChange } from "./history.ts";
import { afterChanges } from "./item-changes.ts";
import { stockChangesKey, stockVersionKey } from "./keys.ts";
import { loadScript } from "./scripts.ts";

/** Changes that a list is brought up to date by; with more it is read anew. */
const maxChanges = 1_000;

const versionAndChanges = [stockVersionKey, stockChangesKey] as const;

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

/** Asks Redis how a list has changed: keys, arguments and reply of list_changes. */
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
   * @param mostChanges that are wanted along with it; where there are more, they are asked for apart
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
  const { redis, guard } = connection;
  const changesOfList = loadScript(connection, "list-changes", "changes-of-list");
  let kept: Kept | undefined;
  let waiting: PromiseWithResolvers<ItemList> | undefined;
  let latest: Read | undefined;

  async function read(mostChanges: number, ask: AskForChanges): Promise<ItemList> {
    const changed = kept && (await changedSince(kept, mostChanges, ask));
    if (changed) return changed;
    const list = frozen(await readWhole());
    const id = `${list.version}-0`;
    const [entry] = await guard(redis.xrange(stockChangesKey, id, id));
    kept = entry && { list, lastChange: fieldsOf(entry) };
    return list;
  }

  async function changedSince(
    { list, lastChange }: Kept,
    mostChanges: number,
    ask: AskForChanges,
  ): Promise<ItemList | undefined> {
    const told = (most: number) => [String(list.version), lastChange, most] as const;
    let reply = await ask(versionAndChanges, told(mostChanges));
    if (reply === ">" && mostChanges < maxChanges) {
      reply = await changesOfList(versionAndChanges, told(maxChanges));
    }
    if (reply === "=") return list;
    if (!reply || reply === ">") return undefined;
    const [text, entries] = reply as readonly [string, readonly Entry[]];
    const version = BigInt(text);
    const last = entries.at(-1);
    if (!last || list.version + BigInt(entries.length) !== version) return undefined;
    const items = afterChanges(list.items, entries.map(stockChange));
    const changed = frozen({ items, version });
    kept = { list: changed, lastChange: fieldsOf(last) };
    return changed;
  }

  function readThisTurn(): Promise<ItemList> {
    if (!waiting) {
      waiting = Promise.withResolvers();
      setImmediate(begin, maxChanges, changesOfList);
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
