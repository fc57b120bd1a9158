import type { ChangesSince, InventoryStore, WholeList } from "../inventory/inventory-store.ts";
import type { StockChange } from "../inventory/stock-change.ts";
import type { Connection } from "./connection.ts";
import { changesKeys, loadChangesSince, maxChangesAtOnce, readChangesAfter } from "./history.ts";
import { afterChanges } from "./item-changes.ts";

/** Changes that a short list is brought up to date with; with more it is read again. */
const minChanges = 1_000;

/**
 * The same of a long list, for each of its items. To read a change takes Redis as long as to read two items, and
 * until it is applied, it takes as much memory as two.
 */
const changesPerItem = 0.05;

/** A read, and when it began on the clock of performance.now(). */
interface Read {
  readonly beganAt: number;
  readonly list: Promise<WholeList>;
}

/** Asks Redis how a list has changed: keys, arguments and reply of changes-since.lua. */
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
 * A list is brought up to date only if its version is in the history of the stock. Otherwise Redis has forgotten
 * that version or lost it, and all of the list is read.
 *
 * @param readWhole reads all of it, without a list to begin with
 */
export function createKeptList(
  connection: Connection,
  readWhole: () => Promise<WholeList>,
): KeptList {
  const changesOfList = loadChangesSince(connection);
  let cached: WholeList | undefined;
  let waiting: PromiseWithResolvers<WholeList> | undefined;
  let latest: Read | undefined;
  let longRead: Promise<WholeList> | undefined;

  async function read(mostChanges: number, ask: AskForChanges): Promise<WholeList> {
    const base = cached;
    if (!base) return readAlone(readAll);
    const reply = await ask(changesKeys, [String(base.version), mostChanges]);
    const first = readChangesAfter(base.version, reply);
    if (!first) return readAlone(readAll);
    if (first.changes.length >= first.total) return withChanges(base, first.changes);
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
    cached = Object.freeze(await readWhole());
    return cached;
  }

  async function catchUp(base: WholeList, first: ChangesSince): Promise<WholeList> {
    const most = Math.max(minChanges, changesPerItem * base.items.length);
    const changes: StockChange[] = [];
    let next: ChangesSince | undefined = first;
    while (next && changes.length + next.total <= most) {
      changes.push(...next.changes);
      if (next.changes.length >= next.total) return withChanges(base, changes);
      const version = changes.at(-1)?.version ?? base.version;
      const reply = await changesOfList(changesKeys, [String(version), maxChangesAtOnce]);
      next = readChangesAfter(version, reply);
    }
    return readAll();
  }

  /** The list with all changes up to the newest. */
  function withChanges(base: WholeList, changes: readonly StockChange[]): WholeList {
    const version = changes.at(-1)?.version;
    if (version === undefined) return base;
    // Another read can have found the same changes, and more.
    if (cached && cached.version >= version) return cached;
    const list = Object.freeze({ items: afterChanges(base.items, changes), version });
    // While all of the list is read, the process does not keep another one.
    if (cached) cached = list;
    return list;
  }

  function readThisTick(): Promise<WholeList> {
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
      latest !== undefined && latest.beganAt >= since ? latest.list : readThisTick(),

    prepareList() {
      // A caller whose key was revoked a moment ago can cause it: it must not read the whole list.
      if (cached) readThisTick().catch(() => {});
    },

    begin,
  };
}
