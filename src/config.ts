import { BlockList, isIPv4, isIPv6 } from "node:net";
import type { Limits } from "./access/plans.ts";
import type { HistoryLimits } from "./inventory/stock-change.ts";
import { combineRedisSettings } from "./redis/connection/combine-settings.ts";
import { parseRedisUrl, type RedisSettings } from "./redis/connection/settings.ts";

const dayMs = 24 * 60 * 60 * 1000;

/** Parses the text of a setting. @throws Error that says what the value must be */
type Parser<T> = (text: string) => T;

interface Setting<T> {
  /** The meaning of the setting, for the reference. */
  readonly meaning: string;
  /** The valid values, for the reference. */
  readonly bounds: string;
  /** Whether the value may contain a password, so that no message shows it. */
  readonly secret?: true;
  /** The text of the default value; undefined when there is no default. */
  readonly default: string | undefined;
  readonly parse: Parser<T>;
}

function integer(min: number, max: number): Pick<Setting<number>, "bounds" | "parse"> {
  return {
    bounds: `integer, ${min} to ${max}`,
    parse(text) {
      const value = Number(text);
      if (!/^\d+$/.test(text) || value < min || value > max) {
        throw new Error(`must be an integer from ${min} to ${max}`);
      }
      return value;
    },
  };
}

/** Allows 0 as well, which turns the setting off. */
function zeroOr(min: number, max: number): Pick<Setting<number>, "bounds" | "parse"> {
  const { bounds, parse } = integer(min, max);
  return {
    bounds: `0, or ${bounds}`,
    parse(text) {
      if (text === "0") return 0;
      try {
        return parse(text);
      } catch {
        throw new Error(`must be 0 or an integer from ${min} to ${max}`);
      }
    },
  };
}

function oneOf<T extends string>(...words: readonly T[]): Pick<Setting<T>, "bounds" | "parse"> {
  return {
    bounds: words.map((word) => `\`${word}\``).join(", "),
    parse(text) {
      const word = words.find((each) => each === text);
      if (word === undefined) {
        throw new Error(`must be one of ${words.join(", ")}`);
      }
      return word;
    },
  };
}

function matching(
  bounds: string,
  accepts: (text: string) => boolean,
): Pick<Setting<string>, "bounds" | "parse"> {
  return {
    bounds,
    parse(text) {
      if (!accepts(text)) {
        throw new Error(`must be ${bounds}`);
      }
      return text;
    },
  };
}

function list<T>(parse: Parser<T>): Parser<T[]> {
  return (text) =>
    text
      .split(",")
      .map((part) => part.trim())
      .filter((part) => part !== "")
      .map(parse);
}

/** Without any URL, the service would keep all data in its memory. */
function redisUrls(text: string): string[] {
  const urls = list((url) => url)(text);
  if (urls.length === 0 || urls.some((url) => !parseRedisUrl(url, 0))) {
    throw new Error("must be a redis:// or rediss:// URL, or several separated by commas");
  }
  return urls;
}

const path = matching("a path", (text) => text !== "");

function origin(text: string): string {
  if (text !== "*" && URL.parse(text)?.origin !== text) {
    throw new Error("must be `*` or origins such as https://shop.example, separated by commas");
  }
  return text;
}

function baseAddress(text: string): string {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol) || `${url.origin}${url.pathname}` !== text) {
    throw new Error("must be URLs such as https://api.example/v1, separated by commas");
  }
  if (!url.pathname.endsWith("/v1")) throw new Error("must be URLs that end with /v1");
  return text;
}

function network(text: string): { address: string; prefix: number; family: "ipv4" | "ipv6" } {
  const [, address = "", length] = /^([^/]*)(?:\/(\d+))?$/.exec(text) ?? [];
  const family = isIPv4(address) ? "ipv4" : "ipv6";
  const longest = family === "ipv4" ? 32 : 128;
  const prefix = length === undefined ? longest : Number(length);
  if ((family === "ipv6" && !isIPv6(address)) || !(prefix >= 0 && prefix <= longest)) {
    throw new Error("must be addresses or networks such as 10.0.0.0/8, separated by commas");
  }
  return { address, prefix, family };
}

function networks(text: string): BlockList {
  const proxies = new BlockList();
  for (const { address, prefix, family } of list(network)(text)) {
    proxies.addSubnet(address, prefix, family);
  }
  return proxies;
}

function date(text: string): number {
  const time = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  if (Number.isNaN(time)) {
    throw new Error("must be a date as YYYY-MM-DD");
  }
  return time;
}

/** All settings, by the name of the environment variable. docs/configuration.md is generated from them. */
export const settings = {
  HOST: {
    meaning: "Address to listen on. `0.0.0.0` or `::` means all addresses.",
    default: "127.0.0.1",
    ...matching("a host name or an IP address", (text) => /^[\w.:-]+$/.test(text)),
  },
  PORT: {
    meaning: "Port to listen on. 0 chooses a free one.",
    default: "8080",
    ...integer(0, 65_535),
  },
  REDIS_URL: {
    meaning:
      "Redis 7 or newer, or Valkey, that stores all data: `redis://user:password@host:port/database`, with `rediss` for TLS. For a cluster or Sentinel: URLs of some nodes or of the sentinels, separated by commas. Without it, all data is in the memory of the process and is lost when the process ends.",
    secret: true,
    bounds: "`redis://` or `rediss://` URLs",
    default: undefined,
    parse: redisUrls,
  },
  REDIS_MODE: {
    meaning:
      "How Redis is organized: one server, a primary that sentinels watch, or a Redis Cluster. See [redis.md](redis.md).",
    default: "single",
    ...oneOf("single", "sentinel", "cluster"),
  },
  REDIS_SENTINEL_NAME: {
    meaning: "Name of the primary among the sentinels. Required by `REDIS_MODE=sentinel`.",
    default: undefined,
    ...matching("a name of letters, digits and `._-`", (text) => /^[\w.-]+$/.test(text)),
  },
  REDIS_USERNAME: {
    meaning: "User of Redis, if not the default user. `REDIS_URL` may have it instead.",
    default: undefined,
    ...matching("a name without white space", (text) => /^\S+$/.test(text)),
  },
  REDIS_PASSWORD_FILE: {
    meaning:
      "File with the password of Redis. The service reads it again for every new connection and on SIGHUP. `REDIS_URL` may have the password instead. With `REDIS_MODE=sentinel`, the password in `REDIS_URL` is for the sentinels.",
    default: undefined,
    ...path,
  },
  REDIS_TLS_CA: {
    meaning:
      "PEM file with the authorities that may sign the certificate of Redis. Default: those of the system. The service reads this file and the next two again for every new connection and on SIGHUP.",
    default: undefined,
    ...path,
  },
  REDIS_TLS_CERT: {
    meaning: "PEM file with the certificate that the service shows to Redis.",
    default: undefined,
    ...path,
  },
  REDIS_TLS_KEY: {
    meaning: "PEM file with the private key of that certificate.",
    default: undefined,
    ...path,
  },
  REDIS_TLS_SERVERNAME: {
    meaning: "Name that the certificate of Redis must have, if not the host in `REDIS_URL`.",
    default: undefined,
    ...matching("a host name", (text) => /^[\w.-]+$/.test(text)),
  },
  REDIS_ACK_REPLICAS: {
    meaning:
      "Number of replicas that must have a change before the service acknowledges it. If too few replicas have it in time, the response is 503, and the change may or may not have been made.",
    default: "0",
    ...integer(0, 10),
  },
  WORKERS: {
    meaning:
      "Number of processes that share the port. Use at most one for each core. More than one requires `REDIS_URL`.",
    default: "1",
    ...integer(1, 256),
  },
  TLS_CERT: {
    meaning:
      "File with the certificate chain in PEM. With `TLS_CERT` and `TLS_KEY`, the service accepts TLS only.",
    default: undefined,
    ...path,
  },
  TLS_KEY: {
    meaning: "File with the certificate's private key in PEM.",
    default: undefined,
    ...path,
  },
  MAX_BODY_BYTES: {
    meaning:
      "Largest request body, and largest RPC message, in bytes after decompression. For batches, see `MAX_BATCH_BODY_BYTES`.",
    default: "65536",
    ...integer(1_024, 67_108_864),
  },
  MAX_BATCH_BODY_BYTES: {
    meaning:
      "Largest request body, and largest RPC message, of `BatchUpdateInventory`, in bytes after decompression. 1,000 updates with every field take up to 125,000 bytes as JSON without white space.",
    default: "262144",
    ...integer(1_024, 67_108_864),
  },
  MAX_HEADER_BYTES: {
    meaning: "Largest header section of a request, in bytes.",
    default: "16384",
    ...integer(4_096, 262_144),
  },
  HEADERS_TIMEOUT_MS: {
    meaning: "Longest time until the header section of a request has arrived, in milliseconds.",
    default: "10000",
    ...integer(100, 300_000),
  },
  REQUEST_TIMEOUT_MS: {
    meaning: "Longest time until a whole request has arrived, in milliseconds.",
    default: "30000",
    ...integer(100, 3_600_000),
  },
  KEEP_ALIVE_TIMEOUT_MS: {
    meaning: "Time after which an idle connection is closed, in milliseconds.",
    default: "65000",
    ...integer(100, 3_600_000),
  },
  MAX_CONNECTION_AGE_MS: {
    meaning:
      "Age at which the service asks the client to replace the connection by a new one, in milliseconds. For each connection, the age is randomly up to 10 % higher or lower. 0 means no limit.",
    default: "1800000",
    ...zeroOr(100, 604_800_000),
  },
  MAX_CONNECTION_AGE_GRACE_MS: {
    meaning:
      "Time after `MAX_CONNECTION_AGE_MS` for open requests to end, in milliseconds. Then the service ends the streams of the connection with `SERVER_DRAINING`, and closes the connection after 2 s.",
    default: "300000",
    ...integer(100, 604_800_000),
  },
  SEND_TIMEOUT_MS: {
    meaning:
      "Longest time that a client may not read its response, in milliseconds. After that, its connection is reset. Over HTTP/2, only the stream is reset while the rest of the connection makes progress.",
    default: "30000",
    ...integer(100, 3_600_000),
  },
  MAX_CONNECTIONS: {
    meaning: "Most open connections of one process. Further ones are closed at once.",
    default: "10000",
    ...integer(1, 1_000_000),
  },
  MAX_CONNECTIONS_PER_ADDRESS: {
    meaning:
      "Most open connections of one client address (IPv4 address or IPv6 /64) in one process. Further ones are reset at once. `TRUSTED_PROXIES` are exempt.",
    default: "1000",
    ...integer(1, 1_000_000),
  },
  MAX_REQUESTS_IN_FLIGHT: {
    meaning:
      "Most open requests of one process, without streams. Further ones get 503 before their key is checked. Requests that need no key, such as gRPC health checks, are counted separately.",
    default: "4096",
    ...integer(1, 1_000_000),
  },
  MAX_STREAMS: {
    meaning: "Most open streams of one process, such as watches and imports. Further ones get 503.",
    default: "10000",
    ...integer(1, 1_000_000),
  },
  DRAIN_DELAY_MS: {
    meaning:
      "Time between SIGTERM and the drain, in milliseconds. Meanwhile, the service reports that it is not ready, but still accepts connections and requests. Default: 5000 if a client has polled readiness in the last minute (`/readyz`, or `Check`, `List` or `Watch` of `grpc.health.v1.Health`), in any process of `WORKERS`; otherwise 0. SIGINT always drains at once.",
    default: undefined,
    ...integer(0, 3_600_000),
  },
  DRAIN_TIMEOUT_MS: {
    meaning:
      "Longest time for open requests to end after SIGINT, or after SIGTERM and `DRAIN_DELAY_MS`, in milliseconds.",
    default: "10000",
    ...integer(0, 3_600_000),
  },
  TRUSTED_PROXIES: {
    meaning:
      "Proxies whose `X-Forwarded-For` header is trusted: addresses and networks, separated by commas.",
    bounds: "IP addresses and networks in CIDR form",
    default: "",
    parse: networks,
  },
  CORS_ORIGINS: {
    meaning: "Origins whose pages may call the service from a browser, separated by commas.",
    bounds: "`*`, or origins such as `https://shop.example`",
    default: "",
    parse: list(origin),
  },
  ANONYMOUS_PER_MINUTE: {
    meaning:
      "Most requests without a valid key from one address (IPv4 address or IPv6 /64) per minute. The limit of an IPv6 /56 is 4 times as high, and that of a /48 16 times.",
    default: "600",
    ...integer(1, 1_000_000),
  },
  ANONYMOUS_PER_DAY: {
    meaning: "Most requests without a valid key from one address per day, with the same factors.",
    default: "10000",
    ...integer(1, 1_000_000_000),
  },
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
  WATCH_HEARTBEAT_MS: {
    meaning:
      "Time between the heartbeats of a watch, in milliseconds. At each heartbeat, the service checks the keys of all watches, and ends the watches whose keys were revoked or have expired.",
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
  OPENAPI_SERVERS: {
    meaning:
      "Base URLs that the OpenAPI document lists, such as production and staging, separated by commas. The server that serves the document is always the first.",
    bounds: "http or https URLs that end with `/v1`",
    default: "",
    parse: list(baseAddress),
  },
  PETS_SUNSET: {
    meaning: "First day (UTC) on which `GET /v1/pets/{petId}` responds 410 Gone.",
    bounds: "date as YYYY-MM-DD",
    default: "2027-12-31",
    parse: date,
  },
  GRPC_REFLECTION: {
    meaning:
      "Whether gRPC server reflection is available. It shows the API definition to all clients without a key. Default: on without `REDIS_URL`, off with it.",
    default: undefined,
    ...oneOf("on", "off"),
  },
  LOG_LEVEL: {
    meaning:
      "Least severe level that is logged, as JSON lines on standard output. `debug` logs every request.",
    default: "info",
    ...oneOf("silent", "error", "warn", "info", "debug"),
  },
} as const satisfies Record<string, Setting<unknown>>;

type Settings = typeof settings;
type Value<N extends keyof Settings> =
  | ReturnType<Settings[N]["parse"]>
  | (Settings[N]["default"] extends undefined ? undefined : never);

/** The configuration of the service. Times are in milliseconds. */
export interface Config {
  readonly host: string;
  readonly port: number;
  /** Undefined when all data is in the memory of the process. */
  readonly redis: RedisSettings | undefined;
  /** The number of processes. */
  readonly workers: number;
  readonly tls: { readonly certFile: string; readonly keyFile: string } | undefined;
  readonly maxBodyBytes: number;
  /** Largest body of a batch. */
  readonly maxBatchBodyBytes: number;
  readonly maxHeaderBytes: number;
  readonly headersTimeoutMs: number;
  readonly requestTimeoutMs: number;
  readonly keepAliveTimeoutMs: number;
  /** When connections end because of their age; undefined when they do not. */
  readonly connectionAge: { readonly maxMs: number; readonly graceMs: number } | undefined;
  readonly sendTimeoutMs: number;
  readonly maxConnections: number;
  readonly maxConnectionsPerAddress: number;
  /** Most open requests and streams. */
  readonly inFlight: {
    readonly maxRequests: number;
    readonly maxStreams: number;
  };
  /** Time between SIGTERM and the drain; undefined when it depends on whether readiness is polled. */
  readonly drainDelayMs: number | undefined;
  readonly drainTimeoutMs: number;
  readonly trustedProxies: BlockList;
  readonly corsOrigins: readonly string[];
  readonly anonymousLimits: Limits;
  /** Length and age of the stock's history. */
  readonly history: HistoryLimits;
  readonly watch: {
    readonly heartbeatMs: number;
    /** Most changes that a client may be behind. */
    readonly backlog: number;
    readonly maxPerKey: number;
    readonly maxPerAccount: number;
    readonly maxPerProcess: number;
  };
  /** Maximum number of concurrent health watches. */
  readonly healthWatches: {
    readonly maxPerProcess: number;
    readonly maxPerAddress: number;
    readonly maxPerConnection: number;
  };
  /** Base URLs for the OpenAPI document. */
  readonly openApiServers: readonly string[];
  /** Milliseconds since the epoch. */
  readonly petsSunset: number;
  readonly grpcReflection: boolean;
  readonly logLevel: Value<"LOG_LEVEL">;
}

/** The environment variables; an empty one counts as not set. */
type Variables = Readonly<Record<string, string | undefined>>;

/** Reads a setting. */
type Read = <N extends keyof Settings>(name: N) => Value<N>;

/** Makes a function that reads settings. It adds a line to `faults` for each invalid one. */
function createReader(environment: Variables, faults: string[]): Read {
  return function read<N extends keyof Settings>(name: N): Value<N> {
    const setting: Setting<unknown> = settings[name];
    const text = environment[name] || setting.default;
    try {
      return (text === undefined ? undefined : setting.parse(text)) as Value<N>;
    } catch (error) {
      const shown = setting.secret ? "not valid" : `"${text}"`;
      faults.push(`${name} is ${shown}: it ${error instanceof Error ? error.message : error}`);
      return undefined as Value<N>;
    }
  };
}

/**
 * Reads the settings of Redis alone.
 *
 * @returns undefined when REDIS_URL is not set
 * @throws Error that names each invalid variable and its valid values
 */
export function readRedisConfig(environment: Variables): RedisSettings | undefined {
  const faults: string[] = [];
  const redis = redisSettings(createReader(environment, faults), faults);
  if (faults.length > 0) throw new Error(faults.join("\n"));
  return redis;
}

function redisSettings(read: Read, faults: string[]): RedisSettings | undefined {
  const before = faults.length;
  const values = {
    urls: read("REDIS_URL") ?? [],
    mode: read("REDIS_MODE"),
    sentinelName: read("REDIS_SENTINEL_NAME"),
    username: read("REDIS_USERNAME"),
    passwordFile: read("REDIS_PASSWORD_FILE"),
    tls: {
      caFile: read("REDIS_TLS_CA"),
      certFile: read("REDIS_TLS_CERT"),
      keyFile: read("REDIS_TLS_KEY"),
      servername: read("REDIS_TLS_SERVERNAME"),
    },
    ackReplicas: read("REDIS_ACK_REPLICAS"),
  };
  return faults.length > before ? undefined : combineRedisSettings(values, faults);
}

/**
 * Reads the configuration.
 *
 * @param environment the environment variables; an empty one counts as not set
 * @throws Error that names each invalid variable and its valid values
 */
export function readConfig(environment: Variables): Config {
  const faults: string[] = [];
  const read = createReader(environment, faults);
  const certFile = read("TLS_CERT");
  const keyFile = read("TLS_KEY");
  if ((certFile === undefined) !== (keyFile === undefined)) {
    faults.push("TLS_CERT and TLS_KEY must be set together: set both or neither");
  }
  const redis = redisSettings(read, faults);
  const hasRedis = Boolean(environment.REDIS_URL);
  const maxAgeMs = read("MAX_CONNECTION_AGE_MS");
  const ageGraceMs = read("MAX_CONNECTION_AGE_GRACE_MS");
  const config: Config = {
    host: read("HOST"),
    port: read("PORT"),
    redis,
    workers: read("WORKERS"),
    tls: certFile && keyFile ? { certFile, keyFile } : undefined,
    maxBodyBytes: read("MAX_BODY_BYTES"),
    maxBatchBodyBytes: read("MAX_BATCH_BODY_BYTES"),
    maxHeaderBytes: read("MAX_HEADER_BYTES"),
    headersTimeoutMs: read("HEADERS_TIMEOUT_MS"),
    requestTimeoutMs: read("REQUEST_TIMEOUT_MS"),
    keepAliveTimeoutMs: read("KEEP_ALIVE_TIMEOUT_MS"),
    connectionAge: maxAgeMs === 0 ? undefined : { maxMs: maxAgeMs, graceMs: ageGraceMs },
    sendTimeoutMs: read("SEND_TIMEOUT_MS"),
    maxConnections: read("MAX_CONNECTIONS"),
    maxConnectionsPerAddress: read("MAX_CONNECTIONS_PER_ADDRESS"),
    inFlight: { maxRequests: read("MAX_REQUESTS_IN_FLIGHT"), maxStreams: read("MAX_STREAMS") },
    drainDelayMs: read("DRAIN_DELAY_MS"),
    drainTimeoutMs: read("DRAIN_TIMEOUT_MS"),
    trustedProxies: read("TRUSTED_PROXIES"),
    corsOrigins: read("CORS_ORIGINS"),
    anonymousLimits: { perMinute: read("ANONYMOUS_PER_MINUTE"), perDay: read("ANONYMOUS_PER_DAY") },
    history: { length: read("HISTORY_LENGTH"), ageMs: read("HISTORY_DAYS") * dayMs },
    watch: {
      heartbeatMs: read("WATCH_HEARTBEAT_MS"),
      backlog: read("WATCH_BACKLOG"),
      maxPerKey: read("MAX_WATCHES_PER_KEY"),
      maxPerAccount: read("MAX_WATCHES_PER_ACCOUNT"),
      maxPerProcess: read("MAX_WATCHES"),
    },
    healthWatches: {
      maxPerProcess: read("MAX_HEALTH_WATCHES"),
      maxPerAddress: read("MAX_HEALTH_WATCHES_PER_ADDRESS"),
      maxPerConnection: read("MAX_HEALTH_WATCHES_PER_CONNECTION"),
    },
    openApiServers: read("OPENAPI_SERVERS"),
    petsSunset: read("PETS_SUNSET"),
    grpcReflection: (read("GRPC_REFLECTION") ?? (hasRedis ? "off" : "on")) === "on",
    logLevel: read("LOG_LEVEL"),
  };
  if (config.requestTimeoutMs < config.headersTimeoutMs) {
    faults.push("REQUEST_TIMEOUT_MS must not be less than HEADERS_TIMEOUT_MS");
  }
  if (config.workers > 1 && !hasRedis) {
    faults.push(
      "WORKERS is more than 1: set REDIS_URL too, because workers share data only in Redis",
    );
  }
  if (faults.length > 0) {
    throw new Error(faults.join("\n"));
  }
  return config;
}
