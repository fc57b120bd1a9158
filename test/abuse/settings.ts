import { proxyAddress } from "./attacks/wire.ts";

/**
 * True if other work shares the cores, as in CI (`ABUSE_MACHINE=shared`). The report then shows the latency of honest
 * requests but sets no limit on it, and ignores requests that were late, refused for overload, or sent on a connection
 * that had become idle. The memory limits are higher, because garbage is collected later and the server is replaced
 * less often. Crashes, an exhausted heap, lost watches, wrong responses, bugs and unbounded growth still fail.
 */
export const isMachineShared = process.env.ABUSE_MACHINE === "shared";

/** Time without progress after which the server gives up a response, in ms. */
export const sendTimeoutMs = 2_000;

/** Time between heartbeats of a watch, in ms. */
export const heartbeatMs = 1_000;

/** Settings of the attacked server. The time limits are short, so that the whole run is short. */
export const serverSettings: Readonly<Record<string, string>> = {
  LOG_LEVEL: "info",
  TRUSTED_PROXIES: proxyAddress,
  HEADERS_TIMEOUT_MS: "2000",
  REQUEST_TIMEOUT_MS: "4000",
  SEND_TIMEOUT_MS: String(sendTimeoutMs),
  KEEP_ALIVE_TIMEOUT_MS: "3000",
  WATCH_HEARTBEAT_MS: String(heartbeatMs),
};

/** Node options of the attacked server: the process crashes if its heap grows without bound. */
export const serverNodeOptions = [`--max-old-space-size=${isMachineShared ? 300 : 200}`];

/** Bounds that hold during every attack. */
export const bounds = {
  /** The honest p99 latency may be at most this many times its unloaded value … */
  p99Factor: 3,
  /**
   * … or this many ms, whichever is more. On two cores that also run the attack, the clients and Redis,
   * the unloaded p99 is a few ms, as long as one scheduling delay of the kernel. If the p99 of the control
   * is higher than the unloaded p99, it is used instead: it shows the delay that the machine adds.
   */
  p99FloorMs: 50,
  /**
   * Longest time until the process reports on a new connection that it is alive, in ms. A probe usually waits for a
   * second. A new connection waits for its turn among those of the attack, so this, too, grows with other work on the
   * cores: it took more than 2 s when the honest p99 was 0.25 s. A process that hangs is found all the same.
   */
  livezMs: isMachineShared ? 8_000 : 1_000,
  /** Resident memory of the server, in MB. */
  residentMegabytes: isMachineShared ? 500 : 300,
  /** Resident memory that the server may still hold a minute after an attack, in MB more than before the first one. */
  keptMegabytes: isMachineShared ? 250 : 150,
  /** Most bytes that the server may log during one attack, and in each second of a longer one: a few lines of each kind. */
  logBytes: 20_000,
  logBytesPerSecond: 3_000,
  /** Longest time for one Redis command, in ms, including the delay of a busy machine. */
  redisCommandMs: isMachineShared ? 250 : 100,
} as const;
