import type { ServiceImpl } from "@connectrpc/connect";
import { requestOf, SharedPool } from "connect-gateway/call";
import type {
  InventoryService,
  WatchInventoryResponse,
} from "../../../gen/inventory/v1/inventory_pb.ts";
import { type Caller, callerOf } from "../../access/caller.ts";
import { type Acquire, createConcurrencyLimits } from "../../common/concurrency-limits.ts";
import { serverDraining } from "../../contract/server-errors.ts";
import type { Viewer } from "../inventory/change-message.ts";
import { checkSelection, type Selection, selectionOf } from "../inventory/selection.ts";
import {
  type Broadcast,
  type BroadcastSettings,
  startBroadcast,
  type WatchStores,
} from "./broadcast.ts";
import { watchCapacityReached, watchExpired, watchLimitReached, watchTooSlow } from "./errors.ts";
import { createKeyCheck } from "./key-watch.ts";
import type { RecentChanges } from "./recent-changes.ts";
import { listedPages, readMissed, readSnapshot } from "./snapshot.ts";
import { createSnapshotPages } from "./snapshot-pages.ts";
import { heartbeatEvent, readyEvent } from "./watch-message.ts";
import { createWatcher, type Watcher } from "./watcher.ts";

export interface WatchSettings extends BroadcastSettings {
  /** Most open watches of one API key, of one account, and of the process. */
  readonly maxPerKey: number;
  readonly maxPerAccount: number;
  readonly maxPerProcess: number;
}

/** The implementation of WatchInventory in inventory.v1.InventoryService. */
export interface WatchService extends Pick<ServiceImpl<typeof InventoryService>, "watchInventory"> {
  /** Returns the number of open watches, and how many changes the slowest one is behind. */
  status(): { readonly watches: number; readonly lag: number };
  /** Ends all watches and refuses new ones, because the server shuts down. */
  stop(): void;
}

interface Watch {
  readonly joined: Broadcast;
  readonly recent: RecentChanges;
  readonly viewer: Viewer;
  readonly selection: Selection | undefined;
  readonly watcher: Watcher;
}

/**
 * Creates the service. To learn about this folder, start here.
 *
 * A watch first sends what the client has missed (snapshot.ts). Then it follows the latest changes (recent-changes.ts),
 * which one reader collects for all watches (broadcast.ts). Nothing is read while there are no watches.
 */
export function createWatchService(stores: WatchStores, settings: WatchSettings): WatchService {
  const { inventory, admission } = stores;
  const { backlog } = settings;
  const checkKey = createKeyCheck(admission);
  let current: Broadcast | undefined;
  const acquire = createWatchLimits(settings);
  let isStopped = false;
  let watches = 0;

  function broadcast(): Broadcast {
    if (current) return current;
    const started = startBroadcast(stores, settings, () => {
      if (current === started) current = undefined;
    });
    current = started;
    return started;
  }

  /** Sends everything up to now, then a ready message. @returns the version of the ready message */
  async function* catchUp(
    token: string,
    { joined, recent, viewer, selection, watcher }: Watch,
  ): AsyncGenerator<WatchInventoryResponse, bigint> {
    let isChecked = false;
    /** Ends the watch unless its key was valid when the stock had a version: the reader learns of revocations in order. */
    const allow = async (version: bigint) => {
      if (!isChecked || version > recent.version) await checkKey(watcher);
      isChecked = true;
      watcher.check();
    };
    const pages = selection ? listedPages(inventory, selection, joined.pages) : joined.pages;
    const missed = (from: bigint) => readMissed(inventory, from, { viewer, allow, selection });
    let version =
      token === "" ? yield* readSnapshot(pages, allow, selection) : yield* missed(BigInt(token));
    // A client that reads this slowly may now be behind by more changes than the cache holds.
    while (recent.positionAfter(version) === "evicted") {
      const before = version;
      version = yield* missed(version);
      // The cache has later changes that this history lacks: the stock was replaced.
      if (version === before) throw watchExpired();
    }
    yield readyEvent(version);
    return version;
  }

  /**
   * Sends everything up to now, then a ready message. It joins no broadcast, whose reader needs a connection of its own, and
   * reads the snapshot from the cached list.
   */
  async function* sendOnce(
    token: string,
    { viewer, selection, watcher }: Pick<Watch, "viewer" | "selection" | "watcher">,
  ): AsyncGenerator<WatchInventoryResponse> {
    const allow = async () => {
      await checkKey(watcher);
      watcher.check();
    };
    const pages = listedPages(inventory, selection, createSnapshotPages(inventory));
    const missing = { viewer, allow, selection, end: "newest at first" } as const;
    yield readyEvent(
      token === ""
        ? yield* readSnapshot(pages, allow, selection)
        : yield* readMissed(inventory, BigInt(token), missing),
    );
  }

  async function* follow(
    { joined, recent, viewer, selection, watcher }: Watch,
    from: bigint,
  ): AsyncGenerator<WatchInventoryResponse> {
    for (;;) {
      watcher.check();
      let position = watcher.position ?? recent.positionAfter(from);
      if (position === "unknown") throw watchExpired();
      if (position === "evicted") throw watchTooSlow(backlog);
      if (selection && position !== undefined) position = recent.nextFor(selection, position);
      watcher.position = position;
      const change = position === undefined ? undefined : recent.at(position, viewer);
      if (change === "evicted") throw watchTooSlow(backlog);
      if (change) {
        yield change;
        watcher.position = (position ?? 0) + 1;
      } else if (watcher.isHeartbeatDue) {
        watcher.isHeartbeatDue = false;
        const { staleSince } = joined;
        const isUnsure = position === undefined && staleSince === undefined;
        // The stock's history may no longer have the version.
        if (isUnsure && !(await inventory.changesSince(from, 1))) throw watchExpired();
        yield heartbeatEvent(position === undefined ? from : recent.version, staleSince);
      } else await watcher.waitForWake();
    }
  }

  return {
    async *watchInventory(request, context) {
      if (isStopped) throw serverDraining();
      const { resumeToken, once } = request;
      const selection = selectionOf(request);
      if (selection) checkSelection(selection);
      const { signal } = context;
      const caller = callerOf(context);
      signal.throwIfAborted();
      const release = acquire(caller);
      const watcher = createWatcher(caller.keyId, (reason) => requestOf(context).end(reason));
      const joined = once ? undefined : broadcast();
      joined?.join(watcher);
      watches += 1;
      let hasLeft = false;
      const leave = () => {
        if (hasLeft) return;
        hasLeft = true;
        watches -= 1;
        watcher.stop(signal.reason);
        joined?.leave(watcher);
        release();
      };
      // When the client does not read, this generator stays at a `yield` and does not see the end of its call.
      signal.addEventListener("abort", leave, { once: true });
      try {
        const one = { viewer: caller, selection, watcher };
        if (!joined) return yield* sendOnce(resumeToken, one);
        const watch: Watch = { joined, recent: await joined.recent, ...one };
        const version = yield* catchUp(resumeToken, watch);
        watcher.isHeartbeatDue = joined.staleSince !== undefined;
        yield* follow(watch, version);
      } finally {
        signal.removeEventListener("abort", leave);
        leave();
      }
    },
    status: () => ({ watches, lag: current?.lag() ?? 0 }),
    stop() {
      isStopped = true;
      current?.end(serverDraining());
    },
  };
}

/** The limits on open watches. The narrowest is first, because the caller can act on it. */
function createWatchLimits(settings: WatchSettings): Acquire<Caller> {
  const { maxPerKey, maxPerAccount, maxPerProcess } = settings;
  const name = "watches";
  return createConcurrencyLimits<Caller>([
    {
      pool: new SharedPool({ name, size: Number.POSITIVE_INFINITY, share: maxPerKey }),
      ownerOf: ({ keyId }) => keyId,
      exceeded: () => watchLimitReached("key", maxPerKey),
    },
    {
      pool: new SharedPool({ name, size: maxPerProcess, share: maxPerAccount }),
      ownerOf: ({ accountId }) => accountId,
      exceeded: (of) =>
        of === "share"
          ? watchLimitReached("account", maxPerAccount)
          : watchCapacityReached(maxPerProcess),
    },
  ]);
}
