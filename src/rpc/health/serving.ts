import { AsyncLocalStorage } from "node:async_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import type { ConnectError } from "@connectrpc/connect";

/** What it takes to know whether the server serves. */
export interface ServingOptions {
  /** Rejects when what the server stands on can't be used. */
  ping(): Promise<void>;
  /** Aborted when the server begins to stop: from then on it does not serve. */
  readonly draining: AbortSignal;
  /** How many can watch at once. */
  readonly maxWatches: number;
  /** The error of one who would watch beside so many. */
  tooManyWatches(): ConnectError;
  /** How often is looked while somebody watches, in milliseconds; a second when absent. */
  readonly intervalMs?: number;
}

/** Whether the server serves: to be asked, and to be watched. */
export interface Serving {
  isServing(): Promise<boolean>;
  /**
   * Tells at once, and then on every change, until the signal is aborted or the server, having told
   * that it does not serve any more, drains. One who is slow to listen misses what has passed.
   *
   * @throws ConnectError when too many watch
   */
  watch(signal: AbortSignal): AsyncGenerator<boolean>;
}

/**
 * Looks on behalf of all who ask and watch: however many they are, there is one ping at a time, and
 * one timer, which runs only while somebody watches.
 */
export function createServing(options: ServingOptions): Serving {
  const { ping, draining, maxWatches, tooManyWatches, intervalMs = 1_000 } = options;
  // Others than the call that has begun it wait for a look: that call's context is not for it.
  const outside = AsyncLocalStorage.snapshot();
  const watchers = new Set<() => void>();
  let isReady = false;
  let looking: Promise<void> | undefined;
  let isFollowing = false;

  const isServing = () => isReady && !draining.aborted;

  function tell(): void {
    for (const wake of watchers) wake();
  }
  draining.addEventListener("abort", tell, { once: true });

  function note(ready: boolean): void {
    looking = undefined;
    if (ready === isReady) return;
    isReady = ready;
    tell();
  }

  function look(): Promise<void> {
    looking ??= outside(ping).then(
      () => note(true),
      () => note(false),
    );
    return looking;
  }

  /** Looks again and again, for as long as somebody watches. */
  async function follow(): Promise<void> {
    if (isFollowing) return;
    isFollowing = true;
    for (;;) {
      await sleep(intervalMs, undefined, { ref: false });
      if (watchers.size === 0) break;
      await look();
    }
    isFollowing = false;
  }

  return {
    async isServing() {
      if (draining.aborted) return false;
      await look();
      return isServing();
    },

    async *watch(signal) {
      if (watchers.size >= maxWatches) throw tooManyWatches();
      let wake = () => {};
      const watcher = () => wake();
      // On the signal, and not only at the end: a stream that is not read from does not come to it.
      const leave = () => {
        watchers.delete(watcher);
        wake();
      };
      watchers.add(watcher);
      signal.addEventListener("abort", leave, { once: true });
      try {
        await look();
        void follow();
        let told: boolean | undefined;
        while (!signal.aborted) {
          const now = isServing();
          if (now !== told) {
            told = now;
            yield now;
          } else if (draining.aborted) {
            return;
          } else {
            await new Promise<void>((resolve) => {
              wake = resolve;
            });
          }
        }
      } finally {
        signal.removeEventListener("abort", leave);
        leave();
      }
    },
  };
}
