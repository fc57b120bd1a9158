import { setTimeout as delay } from "node:timers/promises";
import { ConnectError } from "@connectrpc/connect";
import { watchExpired, watchTooSlow } from "../errors.ts";
import type { Stores } from "../stores.ts";
import { endWithKeys } from "./key-watch.ts";
import { createRecentChanges, type RecentChanges } from "./recent-changes.ts";
import { createWaking } from "./waking.ts";
import type { Watcher } from "./watcher.ts";

/** Settings of a broadcast. */
export interface BroadcastSettings {
  /** Time between heartbeats, in milliseconds. */
  readonly heartbeatMs: number;
  /** Most changes that a client may be behind. */
  readonly backlog: number;
}

/** What a broadcast needs of the stores. */
export type WatchStores = Pick<Stores, "inventory" | "admission" | "readChanges">;

/** One reader of the changes, and all who watch. Lasts until the last of them leaves. */
export interface Broadcast {
  /** The last changes. @throws ConnectError unavailable when the stock can't be read */
  readonly recent: Promise<RecentChanges>;
  join(watcher: Watcher): void;
  leave(watcher: Watcher): void;
  /** Ends all watches. */
  end(reason: unknown): void;
}

/** How long the reader waits after a failure, in milliseconds. */
const retryMs = 100;

/** Failures to look at the keys, one heartbeat after the other, that end all watches. */
const mostFailures = 2;

/**
 * Begins to read the changes.
 *
 * @param onEnd told when there is nobody left, or the stock is not the same any more
 */
export function startBroadcast(
  stores: WatchStores,
  { heartbeatMs, backlog }: BroadcastSettings,
  onEnd: () => void,
): Broadcast {
  const { inventory, admission } = stores;
  const watchers = new Set<Watcher>();
  const wakeAll = createWaking(watchers);
  let isOver = false;
  let isLooking = false;
  let failures = 0;

  const reader = stores.readChanges();
  const heartbeat = setInterval(() => void beat(), heartbeatMs);
  const recent = begin();
  recent.then(pass).catch(end);

  async function begin(): Promise<RecentChanges> {
    const { version } = await inventory.page(undefined, 1);
    return createRecentChanges(version, backlog);
  }

  /** Passes changes on, as fast as they can be written, whether or not clients take them. */
  async function pass(changes: RecentChanges): Promise<void> {
    while (!isOver) {
      try {
        const found = await reader.next(changes.version);
        if (!found) {
          end(watchExpired());
          return;
        }
        changes.append(found);
        if (found.length > 0) await wakeAll();
      } catch (error) {
        if (!(error instanceof ConnectError)) throw error;
        await delay(retryMs);
      }
    }
  }

  async function beat(): Promise<void> {
    if (isLooking) return;
    isLooking = true;
    try {
      endSlow(await recent);
      await endWithKeys(admission, watchers);
      failures = 0;
      for (const watcher of watchers) watcher.isHeartbeatDue = true;
      await wakeAll();
    } catch (error) {
      failures += 1;
      if (failures >= mostFailures) end(error);
    } finally {
      isLooking = false;
    }
  }

  /** Ends the watches that have fallen behind: those whose clients do not read would not notice. */
  function endSlow(changes: RecentChanges): void {
    for (const watcher of watchers) {
      const { place } = watcher;
      if (place !== undefined && changes.isGone(place)) {
        watcher.end(watchTooSlow(backlog));
      }
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
    recent,
    end,
    join(watcher) {
      watchers.add(watcher);
    },
    leave(watcher) {
      watchers.delete(watcher);
      if (watchers.size === 0) finish();
    },
  };
}
