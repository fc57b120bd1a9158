import { BlockList, isIPv4, isIPv6 } from "node:net";
import type { Limits } from "./access/plans.ts";
import type { HistoryLimits } from "./inventory/stock-change.ts";

const dayMs = 24 * 60 * 60 * 1000;

/** Reads a setting's text. @throws Error that says what the value must be */
type Parser<T> = (text: string) => T;

interface Setting<T> {
  /** What it means, for the reference. */
  readonly meaning: string;
  /** What its value can be, for the reference. */
  readonly bounds: string;
  /** Whether the value may hold a password, and so is never told. */
  readonly secret?: true;
  /** Text of the default value; undefined when the setting has none. */
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

function redisUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^rediss?:$/.test(url.protocol) && url.hostname !== "";
}

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

/** Every setting, by the name of its environment variable. The reference in docs is held against it. */
export const settings = {
  HOST: {
    meaning: "Address to listen on. `0.0.0.0` or `::` for all.",
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
      "Redis 7 or newer, or Valkey, that holds everything. Without it the service keeps everything in its own memory, where nothing outlives the process.",
    secret: true,
    default: undefined,
    ...matching("a redis:// or rediss:// URL", redisUrl),
  },
  WORKERS: {
    meaning:
      "Processes that share the port, each with a core to itself if there are as many. More than one needs `REDIS_URL`.",
    default: "1",
    ...integer(1, 256),
  },
  TLS_CERT: {
    meaning: "File with the certificate chain in PEM. With `TLS_KEY`: the service speaks TLS only.",
    default: undefined,
    ...matching("a path", (text) => text !== ""),
  },
  TLS_KEY: {
    meaning: "File with the certificate's private key in PEM.",
    default: undefined,
    ...matching("a path", (text) => text !== ""),
  },
  MAX_BODY_BYTES: {
    meaning:
      "Largest request body, and largest message on RPC, in bytes, decompressed. Batches have `MAX_BATCH_BODY_BYTES`.",
    default: "65536",
    ...integer(1_024, 67_108_864),
  },
  MAX_BATCH_BODY_BYTES: {
    meaning:
      "The same for `BatchUpdateInventory`. 1,000 updates with every field take up to 125,000 bytes as JSON without white space.",
    default: "262144",
    ...integer(1_024, 67_108_864),
  },
  MAX_HEADER_BYTES: {
    meaning: "Largest header section of a request, in bytes.",
    default: "16384",
    ...integer(4_096, 262_144),
  },
  HEADERS_TIMEOUT_MS: {
    meaning: "Time for a request's header section to arrive, in milliseconds.",
    default: "10000",
    ...integer(100, 300_000),
  },
  REQUEST_TIMEOUT_MS: {
    meaning: "Time for a whole request to arrive, in milliseconds.",
    default: "30000",
    ...integer(100, 3_600_000),
  },
  KEEP_ALIVE_TIMEOUT_MS: {
    meaning: "Time that an idle connection is kept, in milliseconds.",
    default: "65000",
    ...integer(100, 3_600_000),
  },
  SEND_TIMEOUT_MS: {
    meaning:
      "Time that a client may go without reading a response, in milliseconds. Then its connection is reset, or, over HTTP/2, only the stream while the rest of the connection makes progress.",
    default: "30000",
    ...integer(100, 3_600_000),
  },
  MAX_CONNECTIONS: {
    meaning: "Connections that one process may have open. Further ones are closed at once.",
    default: "10000",
    ...integer(1, 1_000_000),
  },
  MAX_CONNECTIONS_PER_ADDRESS: {
    meaning:
      "Connections that one client address may have open in one process: an IPv4 address or an IPv6 /64. Further ones are reset at once. `TRUSTED_PROXIES` are exempt.",
    default: "1000",
    ...integer(1, 1_000_000),
  },
  MAX_REQUESTS_IN_FLIGHT: {
    meaning:
      "Requests that one process may work on at once, except streams. Further ones get 503 before their key is checked. Public requests, which need no key, such as gRPC health checks, are counted separately.",
    default: "4096",
    ...integer(1, 1_000_000),
  },
  MAX_STREAMS: {
    meaning:
      "Streams, such as watches and imports, that one process may have open. Further ones get 503.",
    default: "10000",
    ...integer(1, 1_000_000),
  },
  DRAIN_TIMEOUT_MS: {
    meaning: "Time for running requests to end after SIGTERM or SIGINT, in milliseconds.",
    default: "10000",
    ...integer(0, 3_600_000),
  },
  TRUSTED_PROXIES: {
    meaning:
      "Proxies whose `X-Forwarded-For` is believed: addresses and networks, separated by commas.",
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
      "Requests without a valid key that one address can make in a minute: an IPv4 address or an IPv6 /64. An IPv6 /56 can make 4 times as many, a /48 16 times.",
    default: "600",
    ...integer(1, 1_000_000),
  },
  ANONYMOUS_PER_DAY: {
    meaning:
      "Requests without a valid key that one address can make in a day, with the same factors.",
    default: "10000",
    ...integer(1, 1_000_000_000),
  },
  HISTORY_LENGTH: {
    meaning:
      "Changes of the stock that are remembered; a few more may be. A reader of the changes who falls further behind has to read the whole stock again.",
    default: "1000000",
    ...integer(1_000, 100_000_000),
  },
  HISTORY_DAYS: {
    meaning: "Days for which a change of the stock is remembered. Older ones go as others come.",
    default: "90",
    ...integer(1, 36_500),
  },
  WATCH_HEARTBEAT_MS: {
    meaning:
      "Time between the heartbeats of a watch, in milliseconds. At each, the keys of all watches are looked at: a watch whose key has ended ends.",
    default: "15000",
    ...integer(100, 300_000),
  },
  WATCH_BACKLOG: {
    meaning:
      "Changes that the client of a watch may be behind before it is cut off. They are kept once for all watches.",
    default: "10000",
    ...integer(100, 1_000_000),
  },
  MAX_WATCHES_PER_KEY: {
    meaning: "Watches that one API key may have open at once, per process.",
    default: "100",
    ...integer(1, 1_000_000),
  },
  MAX_WATCHES_PER_ACCOUNT: {
    meaning: "Watches that all keys of one account may have open at once, per process.",
    default: "1000",
    ...integer(1, 1_000_000),
  },
  MAX_WATCHES: {
    meaning: "Watches that all callers together may have open at once, per process.",
    default: "10000",
    ...integer(1, 1_000_000),
  },
  MAX_HEALTH_WATCHES: {
    meaning: "Watches of `grpc.health.v1.Health` that may be open at once, per process.",
    default: "10000",
    ...integer(1, 1_000_000),
  },
  MAX_HEALTH_WATCHES_PER_ADDRESS: {
    meaning:
      "Health watches that one client address may have open at once, per process. An IPv6 client is counted by its /64 network; `TRUSTED_PROXIES` applies.",
    default: "100",
    ...integer(1, 1_000_000),
  },
  MAX_HEALTH_WATCHES_PER_CONNECTION: {
    meaning:
      "Health watches that one connection may have open at once. It does not apply to a connection of a trusted proxy, which can serve many clients.",
    default: "10",
    ...integer(1, 1_000_000),
  },
  OPENAPI_SERVERS: {
    meaning:
      "Base addresses that the OpenAPI document lists, separated by commas, such as production and staging. The server that serves the document comes first in any case.",
    bounds: "http or https URLs that end with `/v1`",
    default: "",
    parse: list(baseAddress),
  },
  PETS_SUNSET: {
    meaning: "Day from which on `GET /v1/pets/{petId}` answers 410 Gone (UTC).",
    bounds: "date as YYYY-MM-DD",
    default: "2027-12-31",
    parse: date,
  },
  RPC_FAST_PATH: {
    meaning:
      "Whether unary RPCs are answered on the service's own fast path, or by Connect's handlers as streams are. The answers are the same.",
    default: "on",
    ...oneOf("on", "off"),
  },
  GRPC_REFLECTION: {
    meaning:
      "Whether gRPC's server reflection tells everyone, without a key, what the service's contract is. When not set: on without `REDIS_URL`, off with it.",
    default: undefined,
    ...oneOf("on", "off"),
  },
  LOG_LEVEL: {
    meaning: "What is logged, as JSON lines on standard output. `debug` logs every request.",
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
  readonly redisUrl: string | undefined;
  /** How many processes. */
  readonly workers: number;
  readonly tls: { readonly certFile: string; readonly keyFile: string } | undefined;
  readonly maxBodyBytes: number;
  /** Largest body of a batch. */
  readonly maxBatchBodyBytes: number;
  readonly maxHeaderBytes: number;
  readonly headersTimeoutMs: number;
  readonly requestTimeoutMs: number;
  readonly keepAliveTimeoutMs: number;
  readonly sendTimeoutMs: number;
  readonly maxConnections: number;
  readonly maxConnectionsPerAddress: number;
  /** Requests under way at once. */
  readonly inFlight: {
    readonly maxRequests: number;
    readonly maxStreams: number;
  };
  readonly drainTimeoutMs: number;
  readonly trustedProxies: BlockList;
  readonly corsOrigins: readonly string[];
  readonly anonymousLimits: Limits;
  /** How much of the stock's history is kept. */
  readonly history: HistoryLimits;
  readonly watch: {
    readonly heartbeatMs: number;
    /** Changes that a client may be behind. */
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
  /** Base addresses for the OpenAPI document. */
  readonly openApiServers: readonly string[];
  /** Milliseconds since the epoch. */
  readonly petsSunset: number;
  readonly rpcFastPath: boolean;
  readonly grpcReflection: boolean;
  readonly logLevel: Value<"LOG_LEVEL">;
}

/**
 * Reads the configuration.
 *
 * @param environment environment variables; an empty one counts as not set
 * @throws Error that names every variable that is wrong, and what it must be
 */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const faults: string[] = [];

  function read<N extends keyof Settings>(name: N): Value<N> {
    const setting: Setting<unknown> = settings[name];
    const text = environment[name] || setting.default;
    try {
      return (text === undefined ? undefined : setting.parse(text)) as Value<N>;
    } catch (error) {
      const told = setting.secret ? "not valid" : `"${text}"`;
      faults.push(`${name} is ${told}: it ${error instanceof Error ? error.message : error}`);
      return undefined as Value<N>;
    }
  }

  const certFile = read("TLS_CERT");
  const keyFile = read("TLS_KEY");
  if ((certFile === undefined) !== (keyFile === undefined)) {
    faults.push("TLS_CERT and TLS_KEY go together: set both or none");
  }
  const redisUrl = read("REDIS_URL");
  const config: Config = {
    host: read("HOST"),
    port: read("PORT"),
    redisUrl,
    workers: read("WORKERS"),
    tls: certFile && keyFile ? { certFile, keyFile } : undefined,
    maxBodyBytes: read("MAX_BODY_BYTES"),
    maxBatchBodyBytes: read("MAX_BATCH_BODY_BYTES"),
    maxHeaderBytes: read("MAX_HEADER_BYTES"),
    headersTimeoutMs: read("HEADERS_TIMEOUT_MS"),
    requestTimeoutMs: read("REQUEST_TIMEOUT_MS"),
    keepAliveTimeoutMs: read("KEEP_ALIVE_TIMEOUT_MS"),
    sendTimeoutMs: read("SEND_TIMEOUT_MS"),
    maxConnections: read("MAX_CONNECTIONS"),
    maxConnectionsPerAddress: read("MAX_CONNECTIONS_PER_ADDRESS"),
    inFlight: { maxRequests: read("MAX_REQUESTS_IN_FLIGHT"), maxStreams: read("MAX_STREAMS") },
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
    rpcFastPath: read("RPC_FAST_PATH") === "on",
    grpcReflection: (read("GRPC_REFLECTION") ?? (redisUrl === undefined ? "on" : "off")) === "on",
    logLevel: read("LOG_LEVEL"),
  };
  if (config.requestTimeoutMs < config.headersTimeoutMs) {
    faults.push("REQUEST_TIMEOUT_MS must not be less than HEADERS_TIMEOUT_MS");
  }
  if (config.workers > 1 && redisUrl === undefined) {
    faults.push("WORKERS is more than 1: set REDIS_URL too, since they share nothing but Redis");
  }
  if (faults.length > 0) {
    throw new Error(faults.join("\n"));
  }
  return config;
}
