/** The server sends a heartbeat every 15 s, unless its operator has set another interval. */
const shortestMs = 40_000;
/** More than the longest interval that an operator can set, 300 s. */
const longestMs = 700_000;

/** How long a watch may be silent before its connection counts as lost. Learns the interval of the heartbeats. */
export interface SilenceLimit {
  /** The limit now, in milliseconds. */
  ms(): number;
  /** Begins a connection. */
  begin(): void;
  /** Notes a heartbeat. @param now a time in milliseconds */
  heartbeat(now: number): void;
  /** Notes that the limit has passed. The next limit is longer, because the heartbeats may be rare. */
  passed(): void;
}

/** Creates the limit. Without it, a page would reconnect between rare heartbeats, and each watch counts as a request. */
export function createSilenceLimit(): SilenceLimit {
  let limitMs = shortestMs;
  let last: number | undefined;
  return {
    ms: () => limitMs,
    begin() {
      last = undefined;
    },
    heartbeat(now) {
      if (last !== undefined) {
        limitMs = Math.min(longestMs, Math.max(shortestMs, 2.5 * (now - last)));
      }
      last = now;
    },
    passed() {
      limitMs = Math.min(longestMs, 2 * limitMs);
    },
  };
}
