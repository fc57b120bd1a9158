import type { InventoryStore, ItemList } from "../inventory/inventory-store.ts";
import { stockKeys } from "./change-script.ts";
import type { Connection } from "./connection.ts";
import { type Entry, stockChange } from "./history.ts";
import { afterChanges } from "./item-changes.ts";
import { stockChangesKey } from "./keys.ts";
import { loadScript } from "./scripts.ts";
import { batchByTurn } from "./turn-batch.ts";

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

/** The whole list, as it is kept. */
interface KeptList {
  readonly list: InventoryStore["list"];
  readonly prepareList: () => void;
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
  const listChanges = loadScript(connection, "stock", "list-changes");
  let kept: Kept | undefined;
  let latest: Read | undefined;

  async function read(): Promise<ItemList> {
    const changed = kept && (await changedSince(kept));
    if (changed) return changed;
    const list = frozen(await readWhole());
    const id = `${list.version}-0`;
    const [entry] = await guard(redis.xrange(stockChangesKey, id, id));
    kept = entry && { list, lastChange: fieldsOf(entry) };
    return list;
  }

  async function changedSince({ list, lastChange }: Kept): Promise<ItemList | undefined> {
    const reply = await listChanges(stockKeys, [String(list.version), lastChange, maxChanges]);
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

  const readByTurn = batchByTurn(async (asked: readonly undefined[]) => {
    const begun = { beganAt: performance.now(), list: read() };
    latest = begun;
    try {
      const list = await begun.list;
      return asked.map(() => list);
    } catch (error) {
      if (latest === begun) latest = undefined;
      throw error;
    }
  }, Number.POSITIVE_INFINITY);

  return {
    list: (since = Number.POSITIVE_INFINITY) =>
      latest !== undefined && latest.beganAt >= since ? latest.list : readByTurn(undefined),

    prepareList() {
      // A stranger can ask for it: to read what has changed costs little, to read all of it does not.
      if (kept) readByTurn(undefined).catch(() => {});
    },
  };
}

function frozen(list: ItemList): ItemList {
  Object.freeze(list.items);
  return Object.freeze(list);
}

function fieldsOf([, fields]: Entry): string {
  return fields.join("\0");
}
