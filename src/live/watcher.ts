/** One client that watches, as the broadcast knows it. */
export interface Watcher {
  readonly keyId: string;
  /** Whether a heartbeat is to be told next. */
  isHeartbeatDue: boolean;
  /** The place of the change that is sent next (see RecentChanges); undefined as long as it is not known. */
  place: number | undefined;
  /** What the watch has ended with: to be thrown. Undefined as long as it goes on. */
  readonly ended: unknown;
  /** Waits until there is something to look at; what was there before does not count. */
  news(): Promise<void>;
  /** Ends the waiting. */
  wake(): void;
  /** Ends the watch and its call, whether or not the client reads. */
  end(reason: unknown): void;
  /** Ends the watch alone: its call is over. */
  stop(reason: unknown): void;
}

/**
 * Makes a watcher that nobody knows of yet.
 *
 * @param endCall ends the call that the watch belongs to
 */
export function createWatcher(keyId: string, endCall: (reason: unknown) => void): Watcher {
  let ended: unknown;
  let resume: (() => void) | undefined;
  const wake = () => {
    resume?.();
    resume = undefined;
  };
  const stop = (reason: unknown) => {
    ended ??= reason;
    wake();
  };
  return {
    keyId,
    isHeartbeatDue: false,
    place: undefined,
    get ended() {
      return ended;
    },
    news: () =>
      new Promise((resolve) => {
        resume = resolve;
      }),
    wake,
    stop,
    end(reason) {
      if (ended !== undefined) return;
      stop(reason);
      endCall(reason);
    },
  };
}
