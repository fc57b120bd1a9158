import { proxyAddress } from "./attacks/wire.ts";

/**
 * Whether other work shares the cores, as in CI: ABUSE_MACHINE=shared. Then the latency of honest requests is shown,
 * and those that were late, refused for overload, or sent on a connection that had become idle, decide nothing.
 * Memory may be larger, because garbage is collected later and a server is not replaced as often. Crashes, an exhausted
 * heap, lost watches, wrong responses, bugs and growth without bound still fail.
 */
export const isMachineShared = process.env.ABUSE_MACHINE === "shared";

/** How long a response may make no progress, in ms. */
export const sendTimeoutMs = 2_000;

/** Time between heartbeats of a watch, in ms. */
export const heartbeatMs = 1_000;

/** Settings of the attacked server: short time limits, so that the whole run is short. */
export const serverSettings: Readonly<Record<string, string>> = {
  LOG_LEVEL: "info",
  TRUSTED_PROXIES: proxyAddress,
  HEADERS_TIMEOUT_MS: "2000",
  REQUEST_TIMEOUT_MS: "4000",
  SEND_TIMEOUT_MS: String(sendTimeoutMs),
  KEEP_ALIVE_TIMEOUT_MS: "3000",
  WATCH_HEARTBEAT_MS: String(heartbeatMs),
};

/** Options of the attacked server's runtime: heap that grows without bound ends it. */
export const serverNodeOptions = [`--max-old-space-size=${isMachineShared ? 300 : 200}`];

/** Bounds that hold during every attack. */
export const bounds = {
  /** Honest p99 latency: at most so many times its unloaded value … */
  p99Factor: 3,
  /**
   * … or so many ms, where that is more. On two cores that also run the attack, the clients and Redis,
   * the unloaded p99 is a few ms, and one scheduling delay of the kernel is as long. The p99 of the
   * control, a server that does nothing, counts like the unloaded one: it shows what the machine adds.
   */
  p99FloorMs: 50,
  /** Resident memory of the server, in MB. */
  residentMegabytes: isMachineShared ? 500 : 300,
  /** Bytes that the server logs because of one attack. */
  logBytes: 20_000,
  /** The longest that a Redis command may take, in ms, including what a busy machine adds. */
  redisCommandMs: 100,
} as const;
