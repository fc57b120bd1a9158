import { ConnectError } from "@connectrpc/connect";
import type {
  InventoryService,
  WatchInventoryResponse,
} from "../../gen/inventory/v1/inventory_pb.ts";
import type { Caller } from "../access/caller.ts";
import type { ServiceFunctions } from "../call/service.ts";
import { serverDraining, watchTooSlow } from "../errors.ts";
import {
  type Broadcast,
  startBroadcast,
  type WatchSettings,
  type WatchStores,
} from "./broadcast.ts";
import type { RecentChanges } from "./recent-changes.ts";
import { tellMissed, tellSnapshot } from "./snapshot.ts";
import { heartbeatEvent, readyEvent, resumedVersion } from "./watch-message.ts";
import { createWatcher, type Watcher } from "./watcher.ts";

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
  ): AsyncGenerator<WatchInventoryResponse, bigint> {
    let version =
      token === ""
        ? yield* tellSnapshot(inventory)
        : yield* tellMissed(inventory, resumedVersion(token));
    // A client that is slow to take all that may be further behind than those who watch can be.
    while (recent.after(version) === "gone") version = yield* tellMissed(inventory, version);
    yield readyEvent(version);
    return version;
  }

  async function* follow(
    watcher: Watcher,
    recent: RecentChanges,
    from: bigint,
  ): AsyncGenerator<WatchInventoryResponse> {
    for (let version = from; ; ) {
      if (watcher.ended) throw watcher.ended;
      const change = recent.after(version);
      if (change === "gone") throw watchTooSlow(backlog);
      if (change) {
        yield change;
        version += 1n;
      } else if (watcher.isHeartbeatDue) {
        watcher.isHeartbeatDue = false;
        yield heartbeatEvent(version);
      } else await watcher.news();
    }
  }

  return {
    async *watchInventory({ resumeToken }, { caller, signal }) {
      if (isStopped) throw serverDraining();
      const watcher = createWatcher(caller.keyId);
      const joined = broadcast();
      const leave = () => watcher.end(ConnectError.from(signal.reason));
      joined.join(watcher);
      signal.addEventListener("abort", leave, { once: true });
      try {
        if (signal.aborted) leave();
        const recent = await joined.recent;
        const version = yield* unlessEnded(watcher, catchUp(resumeToken, recent));
        watcher.isHeartbeatDue = false;
        yield* follow(watcher, recent, version);
      } finally {
        signal.removeEventListener("abort", leave);
        joined.leave(watcher);
      }
    },

    stop() {
      isStopped = true;
      current?.end(serverDraining());
    },
  };
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
