/** The state of one watch that the broadcast reads and sets. */
export interface Watcher {
  readonly keyId: string;
  /** Whether the next message is a heartbeat, unless there is a change. */
  isHeartbeatDue: boolean;
  /** The position in RecentChanges of the next change to send; undefined while it is unknown. */
  position: number | undefined;
  /** The error with which the watch has ended; undefined while it runs. */
  readonly ended: unknown;
  /** Waits for the next call of `wake`. */
  waitForWake(): Promise<void>;
  wake(): void;
  /** Ends the watch and its call, even if the client does not read. */
  end(reason: unknown): void;
  /** Ends only the watch, because its call has ended already. */
  stop(reason: unknown): void;
}

/**
 * Creates a watcher.
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
    position: undefined,
    get ended() {
      return ended;
    },
    waitForWake: () =>
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
