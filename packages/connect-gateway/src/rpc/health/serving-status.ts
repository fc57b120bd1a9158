import { setTimeout as sleep } from "node:timers/promises";
import { Code, type ConnectError, type HandlerContext } from "@connectrpc/connect";
import { callError } from "../../call/call-error.ts";
import { requestOf } from "../../call/request-info.ts";

/** What determines whether the server is serving. */
export interface ServingOptions {
  /**
   * Rejects when the server cannot serve, such as without its database; by default, it can. Calls made while a ping runs
   * should share it (see `singleFlight`): every check makes one.
   */
  ping?(): Promise<void>;
  /** Aborted when the server begins to stop. It reports that it is not serving from then on. By default, never. */
  readonly stopping?: AbortSignal;
  /** Aborted when the server drains, at that time or later. Watches end. By default, with {@link stopping}. */
  readonly draining?: AbortSignal;
  /** Makes the error of a watch whose client does not read, when the server stops. */
  stopped?(): ConnectError;
  /** Time between two pings while there are watches, in milliseconds; 1000 by default. */
  readonly intervalMs?: number;
}

/** Time that clients have to read that the server is stopping, in milliseconds. */
const lingerMs = 1_000;

/** An open watch. */
interface Watcher {
  /** Ends the wait for a change. */
  wake(): void;
  /** Ends the call. */
  end(reason: ConnectError): void;
}

/**
 * Tells whether the server is serving. Pings for all checks and watches. However many there are, one timer runs, and only
 * while there are watches.
 */
export function createServing(options: ServingOptions) {
  const {
    ping = async () => {},
    stopping = new AbortController().signal,
    draining = stopping,
    stopped = () => callError("The server is shutting down. Reconnect.", Code.Unavailable),
    intervalMs = 1_000,
  } = options;
  const watchers = new Set<Watcher>();
  let isReady = false;
  let isFollowing = false;

  const isServing = () => isReady && !stopping.aborted;

  function wakeAll(): void {
    for (const watcher of watchers) watcher.wake();
  }

  /** Ends all watches, also those of clients that do not read, which would otherwise keep the server from stopping. */
  function stop(): void {
    wakeAll();
    setTimeout(() => {
      for (const watcher of watchers) watcher.end(stopped());
    }, lingerMs).unref();
  }
  stopping.addEventListener("abort", wakeAll, { once: true });
  draining.addEventListener("abort", stop, { once: true });

  function setReady(ready: boolean): void {
    if (ready === isReady) return;
    isReady = ready;
    wakeAll();
  }

  /** Pings and updates the status. Never rejects. */
  function update(): Promise<void> {
    return ping().then(
      () => setReady(true),
      () => setReady(false),
    );
  }

  /** Updates the status again and again while there are watches. */
  async function follow(): Promise<void> {
    if (isFollowing) return;
    isFollowing = true;
    for (;;) {
      await sleep(intervalMs, undefined, { ref: false });
      if (watchers.size === 0) break;
      await update();
    }
    isFollowing = false;
  }

  return {
    async isServing(): Promise<boolean> {
      if (stopping.aborted) return false;
      await update();
      return isServing();
    },

    /**
     * Yields the current status at once, and then every change. A slow reader gets only the latest status. Ends when the
     * signal is aborted, or when the server drains and has reported that it is not serving.
     *
     * @param onLeave called when the watch ends, at once even if the client does not read
     */
    async *watch(
      context: Pick<HandlerContext, "signal" | "values">,
      onLeave: () => void,
    ): AsyncGenerator<boolean> {
      const { signal } = context;
      const watcher: Watcher = { wake() {}, end: (reason) => requestOf(context).end(reason) };
      // Runs on the signal too, because the end of a stream that is not read never comes.
      const leave = () => {
        watchers.delete(watcher);
        onLeave();
        watcher.wake();
      };
      watchers.add(watcher);
      signal.addEventListener("abort", leave, { once: true });
      try {
        await update();
        void follow();
        let sent: boolean | undefined;
        while (!signal.aborted) {
          const now = isServing();
          if (now !== sent) {
            sent = now;
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
