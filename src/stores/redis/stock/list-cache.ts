import { append } from "../../../common/append.ts";
import type { CallContext, CallRecord } from "../../../common/call-context.ts";
import type { Span } from "../../../common/span.ts";
import type { ChangesSince, InventoryStore, WholeList } from "../../inventory-store.ts";
import type { StockChange } from "../../stock-change.ts";
import type { Connection } from "../connection/connection.ts";
import { createChangesAfter, maxChangesAtOnce } from "../history/history.ts";
import { afterChanges } from "../history/item-changes.ts";

/** Most changes that are applied to a short list. With more of them, the list is read again. */
const minChanges = 1_000;

/** The same for a long list, as a share of its items. A change costs Redis time, and the process memory, as two items do. */
const changesPerItem = 0.05;

/** A read, and when it began on the clock of performance.now(). */
interface Read {
  readonly beganAt: number;
  readonly list: Promise<WholeList>;
}

/** What a read of the cached list has found: no change, changes that were applied, or it had to read all items. */
export type ListRead = "hit" | "refresh" | "reload";

/** The whole list, cached. */
export type ListCache = Pick<InventoryStore, "list" | "prefetchList">;

/**
 * Caches the last list, and reads only later changes from Redis. While nothing changes, it returns the same frozen object,
 * so callers can cache results that they derive from it. Calls of one event-loop tick share one script call, which is sent
 * after all of them. So every caller sees all changes that were acknowledged before its call.
 *
 * Only one read that takes several script calls runs at a time. Other calls wait for it, then read later changes, or fail
 * with it. When the history in Redis lacks the version of the cached list, because it was trimmed, has lost changes, or was
 * replaced, all items are read again.
 */
export function createListCache(
  connection: Connection,
  readWhole: () => Promise<WholeList>,
  onRead: (result: ListRead) => void = () => {},
): ListCache {
  const changesAfter = createChangesAfter(connection);
  let cached: WholeList | undefined;
  let thisTick: Promise<WholeList> | undefined;
  let latest: Read | undefined;
  let longRead: Promise<WholeList> | undefined;
  /** The sampled calls that wait for the read of this tick. */
  let sampled: CallContext[] = [];

  async function read(calls: readonly CallContext[]): Promise<WholeList> {
    const base = cached;
    if (!base) return readAlone(readAll);
    const first = await changesAfter(base.version, maxChangesAtOnce, calls);
    if (!first) return readAlone(readAll);
    if (first.changes.length >= first.total) return withChanges(base, first.changes);
    return readAlone(() => catchUp(base, first));
  }

  function readAlone(work: () => Promise<WholeList>): Promise<WholeList> {
    if (longRead) return longRead.then(() => readThisTick());
    longRead = work().finally(() => {
      longRead = undefined;
    });
    return longRead;
  }

  async function readAll(): Promise<WholeList> {
    onRead("reload");
    // The process never holds two lists at the same time.
    cached = undefined;
    cached = Object.freeze(await readWhole());
    return cached;
  }

  async function catchUp(base: WholeList, first: ChangesSince): Promise<WholeList> {
    const most = Math.max(minChanges, changesPerItem * base.items.length);
    const changes: StockChange[] = [];
    let next: ChangesSince | undefined = first;
    while (next && changes.length + next.total <= most) {
      append(changes, next.changes);
      if (next.changes.length >= next.total) return withChanges(base, changes);
      next = await changesAfter(changes.at(-1)?.version ?? base.version, maxChangesAtOnce);
    }
    return readAll();
  }

  function withChanges(base: WholeList, changes: readonly StockChange[]): WholeList {
    const version = changes.at(-1)?.version;
    onRead(version === undefined ? "hit" : "refresh");
    if (version === undefined) return base;
    // Another read can have found the same changes, and more.
    if (cached && cached.version >= version) return cached;
    const list = Object.freeze({ items: afterChanges(base.items, changes), version });
    // While the whole list is being read, no other list is cached.
    if (cached) cached = list;
    return list;
  }

  /** @param span the span of the call, if it is sampled */
  function readThisTick(span?: Span): Promise<WholeList> {
    // The time of the reply is not added here: `list` adds the time of the whole wait to the call's own record.
    if (span) sampled.push({ record: { storeMs: 0, changesSent: 0, span } });
    if (!thisTick) {
      thisTick = new Promise((resolve) => {
        setImmediate(() => {
          thisTick = undefined;
          resolve(begin());
        });
      });
      thisTick.catch(() => {}); // A prefetch waits for it in vain if its caller is refused.
    }
    return thisTick;
  }

  function begin(): Promise<WholeList> {
    const calls = sampled;
    if (calls.length > 0) sampled = [];
    const begun = { beganAt: performance.now(), list: read(calls) };
    latest = begun;
    begun.list.catch(() => {
      if (latest === begun) latest = undefined;
    });
    return begun.list;
  }

  return {
    list(since = Number.POSITIVE_INFINITY, { record } = {}) {
      const fresh = latest !== undefined && latest.beganAt >= since ? latest : undefined;
      const list = fresh?.list ?? readThisTick(record?.span);
      return record ? recordWait(record, list) : list;
    },
    prefetchList(context) {
      // The caller's key may have been revoked in the meantime, so the read must be short.
      if (cached) void readThisTick(context?.record?.span);
    },
  };
}

/** Waits for a list, and records the time of the wait. */
function recordWait(record: CallRecord, list: Promise<WholeList>): Promise<WholeList> {
  const since = performance.now();
  const wait = record.span?.startChild("wait for list", "internal", since);
  const end = () => {
    const endedAt = performance.now();
    record.storeMs += endedAt - since;
    wait?.end(endedAt);
  };
  // Called before the caller goes on, because it waits later. `finally` would make three more promises.
  list.then(end, end);
  return list;
}
