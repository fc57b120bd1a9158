import { proxyAddress } from "./attacks/wire.ts";

/** Whether other work shares the cores. */
export type Machine = "own" | "shared";

/**
 * `shared` in CI (`ABUSE_MACHINE=shared`): 95 % of the honest calls must succeed instead of all, half of them must be as
 * fast as the slowest calls to the control instead of 99 %, and new connections may wait longer if the control does. The
 * memory limits are higher, because garbage is collected later and the server is replaced less often.
 */
export const machine: Machine = process.env.ABUSE_MACHINE === "shared" ? "shared" : "own";

const isMachineShared = machine === "shared";

/** How many times as long as on an own machine an attacker may take, which has the lowest priority. */
export const attackerPatience = isMachineShared ? 3 : 1;

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
  /** The part of the honest calls that must succeed. With fewer successes of the control, the machine is too busy. */
  leastSuccess: isMachineShared ? 0.95 : 1,
  /**
   * The honest p99 latency (on a shared machine: p50) may be at most this many times its unloaded p99, or the p99 of the
   * control, whichever is more …
   */
  latencyFactor: isMachineShared ? 5 : 3,
  /**
   * … or this many ms. On two cores that also run the attack, the clients and Redis, the unloaded p99 is a few ms, as long
   * as one scheduling delay of the kernel. On a shared machine, a flood of 200,000 requests in a second keeps the process
   * busy for about as long: half of the honest calls took up to 408 ms.
   */
  latencyFloorMs: isMachineShared ? 1_000 : 50,
  /**
   * Longest time until the process reports on a new connection that it is alive, in ms. A new connection waits for its
   * turn among those of the attack, so this, too, grows with other work on the cores. On a shared machine, it may be
   * `livezFactor` times the p99 of the control: it was up to 14 times.
   */
  livezMs: isMachineShared ? 3_000 : 1_000,
  livezFactor: 20,
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
