import type { InventoryStore, ItemList } from "../inventory/inventory-store.ts";
import type { StockChange } from "../inventory/stock-change.ts";
import type { Connection } from "./connection.ts";
import { type Entry, stockChanges } from "./history.ts";
import { afterChanges } from "./item-changes.ts";
import { stockChangesKey, stockVersionKey } from "./keys.ts";
import { loadScript } from "./scripts.ts";

/** Changes that a list is brought up to date by; with more it is read anew. */
const maxChanges = 1_000n;

/** Changes that are read by one script call, but for the rest of an entry: half a millisecond of Redis. */
const maxChangesInCall = 100;

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
  const { redis, guard } = connection;
  const changesOfList = loadScript(connection, "history", "list-changes", "changes-of-list");
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
    let { version } = list;
    let base = lastChange;
    const changes: StockChange[] = [];
    let reply = await ask(versionAndChanges, [String(version), base, mostChanges]);
    if (reply === "=") return list;
    while (reply !== "=") {
      if (!reply) return undefined;
      const [text, entries] = reply as readonly [string, readonly Entry[]];
      const newest = BigInt(text);
      const last = entries.at(-1);
      if (!last || newest - list.version > maxChanges) return undefined;
      changes.push(...entries.flatMap(stockChanges));
      version = list.version + BigInt(changes.length);
      base = fieldsOf(last);
      if (changes.at(-1)?.version !== version) return undefined;
      if (version === newest) break;
      reply = await changesOfList(versionAndChanges, [String(version), base, maxChangesInCall]);
    }
    const changed = frozen({ items: afterChanges(list.items, changes), version });
    kept = { list: changed, lastChange: base };
    return changed;
  }

  function readThisTurn(): Promise<ItemList> {
    if (!waiting) {
      waiting = Promise.withResolvers();
      setImmediate(begin, maxChangesInCall, changesOfList);
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

function fieldsOf([, fields]: Entry): string {
  return fields.join("\0");
}
