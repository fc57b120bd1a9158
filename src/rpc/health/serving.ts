import { setTimeout as sleep } from "node:timers/promises";
import type { ConnectError } from "@connectrpc/connect";
import type { Call } from "../../call/method.ts";
import { sharing } from "../../call/sharing.ts";

/** What it takes to know whether the server serves. */
export interface ServingOptions {
  /** Rejects when what the server stands on can't be used. */
  ping(): Promise<void>;
  /** Aborted when the server begins to stop: from then on it does not serve. */
  readonly draining: AbortSignal;
  /** The error of a watch whose client does not read, when the server stops. */
  stopped(): ConnectError;
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
   * @param onLeave called when the watch has ended, at once even if the client does not read
   */
  watch(call: Pick<Call<unknown>, "signal" | "end">, onLeave: () => void): AsyncGenerator<boolean>;
}

/** How long clients may take to read that the server stops, in milliseconds. */
const lingerMs = 1_000;

/** A watch, as the others know it. */
interface Watcher {
  /** Ends the wait for a change. */
  wake(): void;
  /** Ends the call. */
  end(reason: ConnectError): void;
}

/**
 * Looks on behalf of all who ask and watch: however many they are, there is one ping at a time, and
 * one timer, which runs only while somebody watches.
 */
export function createServing(options: ServingOptions): Serving {
  const { ping, draining, stopped, intervalMs = 1_000 } = options;
  const watchers = new Set<Watcher>();
  let isReady = false;
  let isFollowing = false;

  const isServing = () => isReady && !draining.aborted;

  function wakeAll(): void {
    for (const watcher of watchers) watcher.wake();
  }

  /** Ends the watches, those of clients that do not read too: these do not hold up the server. */
  function stop(): void {
    wakeAll();
    setTimeout(() => {
      for (const watcher of watchers) watcher.end(stopped());
    }, lingerMs).unref();
  }
  draining.addEventListener("abort", stop, { once: true });

  function note(ready: boolean): void {
    if (ready === isReady) return;
    isReady = ready;
    wakeAll();
  }

  const look = sharing(() =>
    ping().then(
      () => note(true),
      () => note(false),
    ),
  );

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

    async *watch(call, onLeave) {
      const { signal } = call;
      const watcher: Watcher = { wake() {}, end: (reason) => call.end(reason) };
      // On the signal, and not only at the end: a stream that is not read from does not come to it.
      const leave = () => {
        watchers.delete(watcher);
        onLeave();
        watcher.wake();
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
              watcher.wake = resolve;
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
