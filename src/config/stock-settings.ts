import { integer } from "./parsers.ts";
import type { Setting } from "./setting.ts";

/** The stock's history, the audit trail, and watches. */
export const stockSettings = {
  HISTORY_LENGTH: {
    meaning:
      "Number of changes in the stock's history, which may be slightly longer. A client that is further behind must read the whole stock again.",
    default: "1000000",
    ...integer(1_000, 100_000_000),
  },
  HISTORY_DAYS: {
    meaning:
      "Days after which a change is deleted from the stock's history. Old changes are deleted when new ones are made.",
    default: "90",
    ...integer(1, 36_500),
  },
  AUDIT_LENGTH: {
    meaning:
      "Number of entries in the audit trail. The oldest entries are removed beyond it. An administrative change has two entries, other administrative calls have one. Each takes about 0.4 kB of Redis's memory.",
    default: "1000000",
    ...integer(1_000, 100_000_000),
  },
  WATCH_HEARTBEAT_MS: {
    meaning:
      "Time between the heartbeats of a watch, in milliseconds. At each heartbeat, the service checks the keys of all watches. A watch ends if its key was revoked or has expired, or if its account was disabled or deleted.",
    default: "15000",
    ...integer(100, 300_000),
  },
  WATCH_BACKLOG: {
    meaning:
      "Most changes that the client of a watch may be behind. After that, its watch ends. The process caches these changes once for all watches.",
    default: "10000",
    ...integer(100, 1_000_000),
  },
  MAX_WATCHES_PER_KEY: {
    meaning: "Most open watches of one API key, per process.",
    default: "100",
    ...integer(1, 1_000_000),
  },
  MAX_WATCHES_PER_ACCOUNT: {
    meaning: "Most open watches of all keys of one account, per process.",
    default: "1000",
    ...integer(1, 1_000_000),
  },
  MAX_WATCHES: {
    meaning: "Most open watches of all callers, per process.",
    default: "10000",
    ...integer(1, 1_000_000),
  },
  MAX_HEALTH_WATCHES: {
    meaning: "Most open health watches (`grpc.health.v1.Health`), per process.",
    default: "10000",
    ...integer(1, 1_000_000),
  },
  MAX_HEALTH_WATCHES_PER_ADDRESS: {
    meaning:
      "Most open health watches of one client address (IPv4 address or IPv6 /64), per process. `TRUSTED_PROXIES` applies.",
    default: "100",
    ...integer(1, 1_000_000),
  },
  MAX_HEALTH_WATCHES_PER_CONNECTION: {
    meaning:
      "Most open health watches of one connection. Does not apply to the connections of `TRUSTED_PROXIES`, which serve many clients.",
    default: "10",
    ...integer(1, 1_000_000),
  },
} as const satisfies Record<string, Setting<unknown>>;
