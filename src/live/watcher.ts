/** One client that watches, as the broadcast knows it. */
export interface Watcher {
  readonly keyId: string;
  /** Whether a heartbeat is to be told next. */
  isHeartbeatDue: boolean;
  /** What the watch has ended with: to be thrown. Undefined as long as it goes on. */
  readonly ended: unknown;
  /** Waits until there is something to look at; what was there before does not count. */
  news(): Promise<void>;
  /** Ends the waiting. */
  wake(): void;
  end(reason: unknown): void;
}

/** Makes a watcher that nobody knows of yet. */
export function createWatcher(keyId: string): Watcher {
  let ended: unknown;
  let resume: (() => void) | undefined;
  const wake = () => {
    resume?.();
    resume = undefined;
  };
  return {
    keyId,
    isHeartbeatDue: false,
    get ended() {
      return ended;
    },
    news: () =>
      new Promise((resolve) => {
        resume = resolve;
      }),
    wake,
    end(reason) {
      ended ??= reason;
      wake();
    },
  };
}
