import { setTimeout as delay } from "node:timers/promises";
import { Code, ConnectError } from "@connectrpc/connect";
import { accountOfKeyId } from "../../access/api-key.ts";
import type { Stores } from "../../stores/stores.ts";
import { watchExpired, watchTooSlow } from "./errors.ts";
import { endExpired, endInvalid } from "./key-watch.ts";
import { createRecentChanges, type RecentChanges } from "./recent-changes.ts";
import { createSnapshotPages } from "./snapshot-pages.ts";
import { createWakeAll } from "./wake-all.ts";
import type { Watcher } from "./watcher.ts";

export interface BroadcastSettings {
  /** Time between heartbeats, in milliseconds. */
  readonly heartbeatMs: number;
  /** Most changes that a client may be behind. */
  readonly backlog: number;
}

export type WatchStores = Pick<Stores, "inventory" | "admission" | "readChanges">;

/** Pause of the reader after a failure, in milliseconds. */
const retryMs = 100;

/** Time in which another attempt to begin to read changes follows while other commands succeed, in milliseconds. */
const beginMs = 1_000;

/** Attempts to begin that are made at least, because the process itself can be suspended for {@link beginMs}. */
const minAttempts = 3;

/** After this many consecutive heartbeats at which the keys could not be checked, all watches end. */
const maxFailures = 2;

/** Serves the changes of the stock to all watches. */
export type Broadcast = ReturnType<typeof startBroadcast>;

/** Starts one reader of the changes for all watchers. @param onEnd called when the last has left, or the stock was replaced */
export function startBroadcast(
  stores: WatchStores,
  { heartbeatMs, backlog }: BroadcastSettings,
  onEnd: () => void,
) {
  const { inventory, admission } = stores;
  const watchers = new Set<Watcher>();
  const wakeAll = createWakeAll(watchers);
  let isOver = false;
  let isBeating = false;
  let failures = 0;

  /** Ids of keys, and of accounts, that were revoked and not yet checked; undefined for all. */
  const revoked = new Set<string | undefined>();
  const reader = stores.readChanges((id) => revoked.add(id));
  const heartbeat = setInterval(() => void beat(), heartbeatMs);
  let changesSoFar: RecentChanges | undefined;
  let lastReadAt = Date.now();
  /** Since when changes may be missing; undefined while the changes can be read. */
  let staleSince: number | undefined;
  const recent = begin();
  recent.then(deliver).catch(end);

  async function begin(endsAt = performance.now() + beginMs, attempt = 1): Promise<RecentChanges> {
    const { version } = await inventory.page(undefined, 1);
    const changes = createRecentChanges(version, backlog);
    try {
      // From here on, the reader reports every revocation.
      const found = await reader.next(version);
      if (!found) throw watchExpired();
      changes.append(found);
      return changes;
    } catch (error) {
      // The reader has a connection of its own, which can be ready later than that of the page, as after a failover.
      const isOver = attempt >= minAttempts && performance.now() > endsAt;
      if (ConnectError.from(error).code !== Code.Unavailable || isOver) throw error;
      await delay(retryMs);
      return begin(endsAt, attempt + 1);
    }
  }

  /** Adds new changes to the cache and wakes the watchers. It does not wait for slow clients. */
  async function deliver(changes: RecentChanges): Promise<void> {
    changesSoFar = changes;
    while (!isOver) {
      try {
        const found = await reader.next(changes.version);
        if (!found) {
          end(watchExpired());
          return;
        }
        // Revoked keys must not see the changes. A failover can have lost revocations.
        const suspects = staleSince === undefined ? watchersOf(revoked, watchers) : watchers;
        revoked.clear();
        if (suspects.size > 0) await endInvalid(admission, suspects);
        endExpired(watchers, found.at(-1)?.changedAt ?? 0);
        changes.append(found);
        lastReadAt = Date.now();
        const wasStale = staleSince !== undefined;
        staleSince = undefined;
        if (wasStale) await sendHeartbeats();
        else if (found.length > 0) await wakeAll();
      } catch (error) {
        if (!(error instanceof ConnectError)) throw error;
        if (staleSince === undefined) {
          staleSince = lastReadAt;
          await sendHeartbeats();
        }
        await delay(retryMs);
      }
    }
  }

  async function sendHeartbeats(): Promise<void> {
    for (const watcher of watchers) watcher.isHeartbeatDue = true;
    await wakeAll();
  }

  async function beat(): Promise<void> {
    if (isBeating) return;
    isBeating = true;
    try {
      endSlow(await recent);
      // While the database cannot be read, no watch sends a change.
      if (staleSince === undefined) await endInvalid(admission, watchers);
      failures = 0;
      await sendHeartbeats();
    } catch (error) {
      failures += 1;
      if (failures >= maxFailures) end(error);
    } finally {
      isBeating = false;
    }
  }

  /** Ends the watches that are too far behind. A watch is blocked while its client does not read. */
  function endSlow(changes: RecentChanges): void {
    for (const watcher of watchers) {
      const { position } = watcher;
      if (position !== undefined && changes.isEvicted(position)) watcher.end(watchTooSlow(backlog));
    }
  }

  function end(reason: unknown): void {
    finish();
    for (const watcher of watchers) watcher.end(reason);
  }

  function finish(): void {
    if (isOver) return;
    isOver = true;
    clearInterval(heartbeat);
    reader.close();
    onEnd();
  }

  return {
    /** The latest changes. Rejects with ConnectError unavailable when the stock cannot be read. */
    recent,
    /** Since when changes may be missing, in milliseconds since the epoch; undefined if none is. */
    get staleSince() {
      return staleSince;
    },
    /** The stock, for the snapshots of its watches. */
    pages: createSnapshotPages(inventory),
    join: (watcher: Watcher) => void watchers.add(watcher),
    leave(watcher: Watcher): void {
      watchers.delete(watcher);
      if (watchers.size === 0) finish();
    },
    /** Returns how many changes the slowest watch is behind. */
    lag(): number {
      const end = changesSoFar?.end ?? 0;
      let most = 0;
      for (const { position } of watchers) most = Math.max(most, end - (position ?? end));
      return most;
    },
    end,
  };
}

/** Returns the watchers whose keys are among ids of keys and accounts; all of them if an id is undefined. */
function watchersOf(
  ids: ReadonlySet<string | undefined>,
  watchers: ReadonlySet<Watcher>,
): ReadonlySet<Watcher> {
  if (ids.has(undefined)) return watchers;
  const found = new Set<Watcher>();
  if (ids.size === 0) return found;
  for (const watcher of watchers) {
    const { keyId } = watcher;
    if (ids.has(keyId) || ids.has(accountOfKeyId(keyId))) found.add(watcher);
  }
  return found;
}
