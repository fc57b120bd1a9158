import type {
  InventoryService,
  WatchInventoryResponse,
} from "../../gen/inventory/v1/inventory_pb.ts";
import type { Caller } from "../access/caller.ts";
import { createPlaces, type Places } from "../call/places.ts";
import type { ServiceFunctions } from "../call/service.ts";
import {
  serverDraining,
  watchCapacityReached,
  watchExpired,
  watchLimitReached,
  watchTooSlow,
} from "../errors.ts";
import type { Viewer } from "../inventory/change-message.ts";
import {
  type Broadcast,
  type BroadcastSettings,
  startBroadcast,
  type WatchStores,
} from "./broadcast.ts";
import type { RecentChanges } from "./recent-changes.ts";
import { tellMissed, tellSnapshot } from "./snapshot.ts";
import { heartbeatEvent, readyEvent, resumedVersion } from "./watch-message.ts";
import { createWatcher, type Watcher } from "./watcher.ts";

/** Settings of watches. */
export interface WatchSettings extends BroadcastSettings {
  /** Most watches at once: of one API key, of one account, and of the process. */
  readonly maxPerKey: number;
  readonly maxPerAccount: number;
  readonly maxPerProcess: number;
}

/** The part of inventory.v1.InventoryService that is about watching. */
export interface Watching
  extends Pick<ServiceFunctions<typeof InventoryService, Caller>, "watchInventory"> {
  /** Ends all watches, those too that are yet to come: the server shuts down. */
  stop(): void;
}

/** Makes watching. Nothing is read as long as nobody watches. */
export function createWatching(stores: WatchStores, settings: WatchSettings): Watching {
  const { inventory } = stores;
  const { backlog } = settings;
  let current: Broadcast | undefined;
  const places = createWatchPlaces(settings);
  let isStopped = false;

  function broadcast(): Broadcast {
    if (current) return current;
    const started = startBroadcast(stores, settings, () => {
      if (current === started) current = undefined;
    });
    current = started;
    return started;
  }

  /** Tells all that is missing up to now, and that it was all. @returns the version told last */
  async function* catchUp(
    token: string,
    recent: RecentChanges,
    viewer: Viewer,
  ): AsyncGenerator<WatchInventoryResponse, bigint> {
    let version =
      token === ""
        ? yield* tellSnapshot(inventory)
        : yield* tellMissed(inventory, resumedVersion(token), viewer);
    // A client that is slow to take all that may be further behind than those who watch can be.
    while (recent.placeAfter(version) === "gone") {
      const before = version;
      version = yield* tellMissed(inventory, version, viewer);
      // The stock that is watched has later changes: it is not this one any more.
      if (version === before) throw watchExpired();
    }
    yield readyEvent(version);
    return version;
  }

  async function* follow(
    watcher: Watcher,
    recent: RecentChanges,
    from: bigint,
    viewer: Viewer,
  ): AsyncGenerator<WatchInventoryResponse> {
    for (;;) {
      if (watcher.ended) throw watcher.ended;
      const place = watcher.place ?? placeAfter(recent, from);
      watcher.place = place;
      const change = place === undefined ? undefined : recent.at(place, viewer);
      if (change === "gone") throw watchTooSlow(backlog);
      if (change) {
        yield change;
        watcher.place = (place ?? 0) + 1;
      } else if (watcher.isHeartbeatDue) {
        watcher.isHeartbeatDue = false;
        if (place === undefined) await assertKnown(from);
        yield heartbeatEvent(place === undefined ? from : recent.version);
      } else await watcher.news();
    }
  }

  /** @returns undefined as long as the version is later than all recent changes */
  function placeAfter(recent: RecentChanges, version: bigint): number | undefined {
    const place = recent.placeAfter(version);
    if (place === "lost") throw watchExpired();
    if (place === "gone") throw watchTooSlow(backlog);
    return place;
  }

  /** @throws ConnectError out_of_range when the stock does not have a version any more */
  async function assertKnown(version: bigint): Promise<void> {
    if (!(await inventory.changesSince(version, 1))) throw watchExpired();
  }

  return {
    async *watchInventory({ resumeToken }, call) {
      if (isStopped) throw serverDraining();
      const { caller, signal } = call;
      signal.throwIfAborted();
      const giveBack = places.take(caller);
      const watcher = createWatcher(caller.keyId, (reason) => call.end(reason));
      const joined = broadcast();
      joined.join(watcher);
      const leave = () => {
        watcher.stop(signal.reason);
        joined.leave(watcher);
        giveBack();
      };
      // The end of a call that nobody reads does not reach this generator: it stays at a `yield`.
      signal.addEventListener("abort", leave, { once: true });
      try {
        const recent = await joined.recent;
        const version = yield* unlessEnded(watcher, catchUp(resumeToken, recent, caller));
        watcher.isHeartbeatDue = false;
        yield* follow(watcher, recent, version, caller);
      } finally {
        signal.removeEventListener("abort", leave);
        leave();
      }
    },

    stop() {
      isStopped = true;
      current?.end(serverDraining());
    },
  };
}

/** The bounds of watches, the narrowest first: a caller learns what it can do something about. */
function createWatchPlaces(settings: WatchSettings): Places<Caller> {
  const { maxPerKey, maxPerAccount, maxPerProcess } = settings;
  return createPlaces<Caller>([
    {
      most: maxPerKey,
      keyOf: ({ keyId }) => keyId,
      exceeded: () => watchLimitReached("key", maxPerKey),
    },
    {
      most: maxPerAccount,
      keyOf: ({ accountId }) => accountId,
      exceeded: () => watchLimitReached("account", maxPerAccount),
    },
    {
      most: maxPerProcess,
      keyOf: () => "process",
      exceeded: () => watchCapacityReached(maxPerProcess),
    },
  ]);
}

/** Tells the same, but no more than was begun when the watch ends. */
async function* unlessEnded<T, R>(
  watcher: Watcher,
  told: AsyncGenerator<T, R>,
): AsyncGenerator<T, R> {
  for (;;) {
    const next = await told.next();
    if (watcher.ended) throw watcher.ended;
    if (next.done) return next.value;
    yield next.value;
  }
}
