export type Watcher = ReturnType<typeof createWatcher>;

/** Creates the state of one watch that the broadcast reads and sets. @param endCall ends the call of the watch */
export function createWatcher(keyId: string, endCall: (reason: unknown) => void) {
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
    /** When the key expires by the store's clock, in milliseconds since the epoch; undefined for never, or not known yet. */
    expiresAt: undefined as number | undefined,
    /** Whether the next message is a heartbeat, unless there is a change. */
    isHeartbeatDue: false,
    /** The position in RecentChanges of the next change to send; undefined while it is unknown. */
    position: undefined as number | undefined,
    /** @throws the error with which the watch has ended */
    check(): void {
      if (ended !== undefined) throw ended;
    },
    waitForWake: () =>
      new Promise<void>((resolve) => {
        resume = resolve;
      }),
    wake,
    /** Ends only the watch, because its call has ended already. */
    stop,
    /** Ends the watch and its call, even if the client does not read. */
    end(reason: unknown): void {
      if (ended !== undefined) return;
      stop(reason);
      endCall(reason);
    },
  };
}
