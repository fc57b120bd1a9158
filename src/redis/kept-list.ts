import type { InventoryStore, WholeList } from "../inventory/inventory-store.ts";
import type { StockChange } from "../inventory/stock-change.ts";
import type { Connection } from "./connection.ts";
import { type Entry, stockChanges } from "./history.ts";
import { afterChanges } from "./item-changes.ts";
import { stockChangesKey, stockVersionKey } from "./keys.ts";
import { loadScript } from "./scripts.ts";

/** Changes that a short list is brought up to date with; with more it is read again. */
const minChanges = 1_000;

/**
 * The same of a long list, for each of its items. To read a change takes Redis as long as to read two items, and
 * until it is applied, it takes as much memory as two.
 */
const changesPerItem = 0.05;

/** Changes that are read by one script call, but for the rest of an entry: half a millisecond of Redis. */
const maxChangesInCall = 100;

const versionAndChanges = [stockVersionKey, stockChangesKey] as const;

/** A list, and what proves that it is of the history that the server has now. */
interface Cached {
  readonly list: WholeList;
  /** Fields of the change that gave the list its version. */
  readonly lastChange: string;
  /** The same for all lists that were made by changes from one that was read whole. */
  readonly history: symbol;
}

/** A read, and when it began on the clock of performance.now(). */
interface Read {
  readonly beganAt: number;
  readonly list: Promise<WholeList>;
}

/** Changes after a version of the stock. */
interface Changes {
  /** In order, none left out. */
  readonly changes: readonly StockChange[];
  /** Fields of the last change. */
  readonly lastChange: string;
  /** The version of the stock. */
  readonly newest: bigint;
}

/** Asks Redis how a list has changed: keys, arguments and reply of list_changes. */
type AskForChanges = (
  keys: readonly string[],
  args: readonly (string | number)[],
) => Promise<unknown>;

/** The whole list, cached. */
export interface KeptList {
  readonly list: InventoryStore["list"];
  readonly prepareList: () => void;
  /**
   * Begins the read that waits for the event-loop tick to end, if there is one: a caller that has
   * something else to ask Redis then may ask both in one.
   *
   * @param mostChanges about how many are wanted along with it; where there are more, they are asked for
   * apart
   * @param ask is called at once, or not at all
   */
  begin(mostChanges: number, ask: AskForChanges): void;
}

/**
 * Reads the whole list by what has changed since it was read last. While nothing has, it returns the very same
 * list, frozen, so that what was made of it can be used again. All reads of one event-loop tick are one; each
 * begins after it was asked for, so none misses what was acknowledged before.
 *
 * A read that takes more than one script call is the only one of its kind at a time. Other reads wait for it, and
 * then ask for the changes since. When it fails, so do they, and the next read begins another.
 *
 * @param readWhole reads all of it, without a list to begin with
 */
export function createKeptList(
  connection: Connection,
  readWhole: () => Promise<WholeList>,
): KeptList {
  const { redis, guard } = connection;
  const changesOfList = loadScript(connection, "history", "list-changes", "changes-of-list");
  let cached: Cached | undefined;
  let waiting: PromiseWithResolvers<WholeList> | undefined;
  let latest: Read | undefined;
  let longRead: Promise<WholeList> | undefined;

  async function read(mostChanges: number, ask: AskForChanges): Promise<WholeList> {
    const base = cached;
    if (!base) return readAlone(readAll);
    const { version } = base.list;
    const reply = await ask(versionAndChanges, [String(version), base.lastChange, mostChanges]);
    const first = changesIn(reply, version, base.lastChange);
    if (!first) return readAlone(readAll);
    const isAll = version + BigInt(first.changes.length) === first.newest;
    if (isAll) return withChanges(base, first);
    return readAlone(() => catchUp(base, first));
  }

  function readAlone(work: () => Promise<WholeList>): Promise<WholeList> {
    if (longRead) return longRead.then(readThisTick);
    longRead = work().finally(() => {
      longRead = undefined;
    });
    return longRead;
  }

  async function readAll(): Promise<WholeList> {
    // The process never holds the list before and the next one in full.
    cached = undefined;
    const list = Object.freeze(await readWhole());
    const id = `${list.version}-0`;
    const [entry] = await guard(redis.xrange(stockChangesKey, id, id));
    cached = entry && { list, lastChange: fieldsOf(entry), history: Symbol() };
    return list;
  }

  async function catchUp(base: Cached, first: Changes): Promise<WholeList> {
    const { items, version } = base.list;
    const most = Math.max(minChanges, changesPerItem * items.length);
    const changes: StockChange[] = [];
    let next: Changes | undefined = first;
    while (next && next.newest - version <= most) {
      changes.push(...next.changes);
      const { lastChange, newest } = next;
      const at = version + BigInt(changes.length);
      if (at === newest) return withChanges(base, { changes, lastChange, newest });
      const args = [String(at), lastChange, maxChangesInCall];
      next = changesIn(await changesOfList(versionAndChanges, args), at, lastChange);
    }
    return readAll();
  }

  /** The list with all changes up to the newest. */
  function withChanges(base: Cached, { changes, lastChange, newest }: Changes): WholeList {
    if (changes.length === 0) return base.list;
    const isRelated = cached?.history === base.history;
    // Another read can have found the same changes, and more.
    if (cached && isRelated && cached.list.version >= newest) return cached.list;
    const list = Object.freeze({
      items: afterChanges(base.list.items, changes),
      version: newest,
    });
    if (isRelated) cached = { list, lastChange, history: base.history };
    return list;
  }

  function readThisTick(): Promise<WholeList> {
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
      latest !== undefined && latest.beganAt >= since ? latest.list : readThisTick(),

    prepareList() {
      // A caller whose key was revoked a moment ago can cause it: it must not read the whole list.
      if (cached) readThisTick().catch(() => {});
    },

    begin,
  };
}

/**
 * Reads a reply of list_changes.
 *
 * @param version of the list
 * @param lastChange fields of the change that gave the list its version
 * @returns undefined when the history does not have all changes since
 */
function changesIn(reply: unknown, version: bigint, lastChange: string): Changes | undefined {
  if (reply === "=") return { changes: [], lastChange, newest: version };
  if (!reply) return undefined;
  const [newest, entries] = reply as readonly [string, readonly Entry[]];
  const last = entries.at(-1);
  const changes = entries.flatMap(stockChanges);
  const hasAll = changes.at(-1)?.version === version + BigInt(changes.length);
  return last && hasAll
    ? { changes, lastChange: fieldsOf(last), newest: BigInt(newest) }
    : undefined;
}

function fieldsOf([, fields]: Entry): string {
  return fields.join("\0");
}
