import { integer } from "./parsers.ts";
import { type Setting, setting } from "./setting.ts";

/** The stock's history, the audit trail, orders, and watches. */
export const stockSettings = {
  HISTORY_LENGTH: setting(
    "Maximum number of changes in the stock's history. The history can be slightly longer. A client that is further behind must read the whole stock again.",
    integer(1_000, 100_000_000, 250_000),
  ),
  HISTORY_DAYS: setting(
    "Time after which a change is deleted from the stock's history, in days. Old changes are deleted when new changes are made.",
    integer(1, 36_500, 90),
  ),
  AUDIT_LENGTH: setting(
    "Maximum number of entries in the audit trail. Above this number, the oldest entries are removed. An administrative change has two entries, and any other administrative call at most one. Each entry takes about 0.4 kB of Redis's memory.",
    integer(1_000, 100_000_000, 100_000),
  ),
  ORDER_DAYS: setting(
    "Time after which a delivered or cancelled order is deleted, in days. 0 keeps all orders.",
    integer(0, 36_500, 90),
  ),
  MAX_OPEN_ORDERS: setting(
    "Maximum number of open orders of an account: those that are neither delivered nor cancelled. Above it, the account cannot place orders or confirm holds.",
    integer(1, 100_000_000, 100_000),
  ),
  WATCH_HEARTBEAT_MS: setting(
    "Time between the heartbeats of a watch, in milliseconds. At each heartbeat, the service checks the keys of all watches, in case a failover of Redis has lost a revocation.",
    integer(100, 300_000, 15_000),
  ),
  WATCH_BACKLOG: setting(
    "Maximum number of changes that the client of a watch can be behind. Above this number, the watch ends. The process caches these changes once for all watches.",
    integer(100, 1_000_000, 10_000),
  ),
  MAX_WATCHES_PER_KEY: setting(
    "Maximum number of open watches of one API key, per process.",
    integer(1, 1_000_000, 100),
  ),
  MAX_WATCHES_PER_ACCOUNT: setting(
    "Maximum number of open watches of all keys of one account, per process.",
    integer(1, 1_000_000, 1_000),
  ),
  MAX_WATCHES: setting(
    "Maximum number of open watches of all callers, per process.",
    integer(1, 1_000_000, 10_000),
  ),
  MAX_HEALTH_WATCHES: setting(
    "Maximum number of open health watches (`grpc.health.v1.Health`), per process.",
    integer(1, 1_000_000, 10_000),
  ),
  MAX_HEALTH_WATCHES_PER_ADDRESS: setting(
    "Maximum number of open health watches of one client address (IPv4 address or IPv6 /64), per process. Behind `TRUSTED_PROXIES`, the address that they report counts.",
    integer(1, 1_000_000, 100),
  ),
  MAX_HEALTH_WATCHES_PER_CONNECTION: setting(
    "Maximum number of open health watches of one connection. `TRUSTED_PROXIES` are exempt, because they serve many clients.",
    integer(1, 1_000_000, 10),
  ),
} satisfies Record<string, Setting<unknown>>;
