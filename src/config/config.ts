import { append } from "../common/append.ts";
import { dayMs } from "../common/durations.ts";
import { combineRedisSettings } from "../stores/redis/connection/combine-settings.ts";
import { readCredentials } from "../stores/redis/connection/credentials.ts";
import type { RedisSettings } from "../stores/redis/connection/settings.ts";
import type { Setting, Variables } from "./setting.ts";
import { type SettingName, settings } from "./settings.ts";
import { createReader, openSources, orFault, type Read, type Sources } from "./sources.ts";
import { checkFile } from "./text-file.ts";
import { readTlsFiles } from "./tls-files.ts";

/** A batch of 1,000 updates with every field takes up to 125,000 bytes as JSON without white space. */
const batchBodyBytes = 262_144;

/** The longest time in which the streams of a connection can go on when it has reached its age, in milliseconds. */
const longestAgeGraceMs = 300_000;

/** The configuration of the service. Times are in milliseconds. */
export type Config = ReturnType<typeof combine>;

/** Returns the lines of faults, each once: CONFIG_FILE is read twice if it has the URL of Redis. */
function linesOf(faults: readonly string[]): string[] {
  return [...new Set(faults.flatMap((fault) => fault.split("\n")))];
}

/** Returns what a function reads. @throws Error that has a line for each fault that the function adds to its argument */
function withoutFaults<T>(read: (faults: string[]) => T): T {
  const faults: string[] = [];
  const value = read(faults);
  if (faults.length > 0) throw new Error(linesOf(faults).join("\n"));
  return value;
}

/** Reads the settings of Redis alone; undefined when REDIS_URL is not set. @throws Error like {@link readConfig} */
export function readRedisConfig(environment: Variables): RedisSettings | undefined {
  return withoutFaults((faults) => readRedisSettings(openSources(environment, faults), faults));
}

function readRedisSettings(sources: Sources, faults: string[]): RedisSettings | undefined {
  const before = faults.length;
  const read = createReader(sources, faults);
  const values = {
    urls: read("REDIS_URL") ?? [],
    readUrl: sources.textOf("REDIS_URL").source === "file" ? () => redisUrlNow(sources) : undefined,
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

/** Returns the first URL of Redis that the file has now. @throws Error that says what is wrong with the file */
function redisUrlNow(sources: Sources): string | undefined {
  const read = (faults: string[]) => createReader(sources.reopen(faults), faults)("REDIS_URL");
  return withoutFaults(read)?.[0];
}

/** Reads the configuration. @param environment an empty value counts as not set @throws Error that names each invalid variable */
export function readConfig(environment: Variables): Config {
  return withoutFaults((faults) => combine(openSources(environment, faults), faults));
}

/** Reads the configuration, and checks the files that it names. @throws Error that has a line for each fault */
export function readCheckedConfig(environment: Variables): Config {
  return withoutFaults((faults) => inspect(environment, faults));
}

/** Finds the faults of all settings, and of the files that they name. @returns a line for each fault */
export function configFaults(environment: Variables): readonly string[] {
  const faults: string[] = [];
  inspect(environment, faults);
  return linesOf(faults);
}

/** Finds names in the environment that have no effect, but may be meant for the service. @returns a line for each */
export function configWarnings(environment: Variables): readonly string[] {
  return openSources(environment, []).warnings;
}

function inspect(environment: Variables, faults: string[]): Config {
  const sources = openSources(environment, faults);
  const config = combine(sources, faults);
  append(faults, fileFaults(sources, config));
  return config;
}

/** Checks the files that settings name: each must be readable, and certificates must be valid. @returns a line for each fault */
function fileFaults(sources: Sources, { tls, redis }: Config): string[] {
  const faults: string[] = [];
  for (const [name, { isFile }] of Object.entries<Setting<unknown>>(settings)) {
    // CONFIG_FILE has been read already.
    if (!isFile || name === "CONFIG_FILE") continue;
    const { text } = sources.textOf(name as SettingName);
    if (text !== undefined) orFault(faults, () => checkFile(name, text));
  }
  // Otherwise the same file would be reported again.
  if (faults.length > 0) return faults;
  if (tls) orFault(faults, () => readTlsFiles(tls));
  if (redis) orFault(faults, () => readCredentials(redis));
  return faults;
}

export type TracingConfig = NonNullable<ReturnType<typeof tracingConfig>>;

/** Reads the settings of tracing. The exporter reads its own ones. @returns undefined when tracing is off */
function tracingConfig(read: Read) {
  const config = {
    sampler: read("OTEL_TRACES_SAMPLER"),
    /** From 0 to 1. */
    ratio: read("OTEL_TRACES_SAMPLER_ARG"),
    queue: {
      maxQueueSize: read("OTEL_BSP_MAX_QUEUE_SIZE"),
      maxExportBatchSize: read("OTEL_BSP_MAX_EXPORT_BATCH_SIZE"),
      scheduledDelayMillis: read("OTEL_BSP_SCHEDULE_DELAY"),
    },
  };
  return read("OTEL_TRACES_EXPORTER") === "otlp" ? config : undefined;
}

/** Reads all settings. Adds a line to `faults` for each invalid one; the parts of the result that it affects are invalid then. */
function combine(sources: Sources, faults: string[]) {
  const read = createReader(sources, faults);
  const certFile = read("TLS_CERT");
  const keyFile = read("TLS_KEY");
  if ((certFile === undefined) !== (keyFile === undefined)) {
    faults.push("TLS_CERT and TLS_KEY must be set together: set both or neither");
  }
  const redis = readRedisSettings(sources, faults);
  const hasRedis = sources.textOf("REDIS_URL").source !== "default";
  const maxAgeMs = read("MAX_CONNECTION_AGE_MS");
  const address = read("ADMIN_ADDR");
  const config = {
    host: read("HOST"),
    port: read("PORT"),
    /** Undefined when all data is in the memory of the process. */
    redis,
    workers: read("WORKERS"),
    tls: certFile && keyFile ? { certFile, keyFile } : undefined,
    maxBodyBytes: read("MAX_BODY_BYTES"),
    maxBatchBodyBytes: Math.max(read("MAX_BODY_BYTES"), batchBodyBytes),
    listener: {
      maxHeaderBytes: read("MAX_HEADER_BYTES"),
      headersTimeoutMs: read("HEADERS_TIMEOUT_MS"),
      requestTimeoutMs: read("REQUEST_TIMEOUT_MS"),
      keepAliveTimeoutMs: read("KEEP_ALIVE_TIMEOUT_MS"),
      sendTimeoutMs: read("SEND_TIMEOUT_MS"),
      maxConnectionsPerAddress: read("MAX_CONNECTIONS_PER_ADDRESS"),
      /** Bounds of the memory that waits for clients to read, in bytes. */
      unread: {
        maxBytes: read("MAX_UNREAD_BYTES"),
        maxBytesPerAddress: read("MAX_UNREAD_BYTES_PER_ADDRESS"),
      },
    },
    /** When connections end because of their age; undefined when they do not. */
    connectionAge:
      maxAgeMs === 0
        ? undefined
        : { maxMs: maxAgeMs, graceMs: Math.min(maxAgeMs, longestAgeGraceMs) },
    maxConnections: read("MAX_CONNECTIONS"),
    inFlight: { maxRequests: read("MAX_REQUESTS_IN_FLIGHT"), maxStreams: read("MAX_STREAMS") },
    /** Time between SIGTERM and the drain; undefined when it depends on whether readiness is polled. */
    drainDelayMs: read("DRAIN_DELAY_MS"),
    drainTimeoutMs: read("DRAIN_TIMEOUT_MS"),
    trustedProxies: read("TRUSTED_PROXIES"),
    corsOrigins: read("CORS_ORIGINS"),
    anonymousLimits: { perMinute: read("ANONYMOUS_PER_MINUTE"), perDay: read("ANONYMOUS_PER_DAY") },
    history: { length: read("HISTORY_LENGTH"), ageMs: read("HISTORY_DAYS") * dayMs },
    orders: {
      mostOpen: read("MAX_OPEN_ORDERS"),
      keptMs: read("ORDER_DAYS") === 0 ? undefined : read("ORDER_DAYS") * dayMs,
    },
    auditLength: read("AUDIT_LENGTH"),
    watch: {
      heartbeatMs: read("WATCH_HEARTBEAT_MS"),
      /** Most changes that a client may be behind. */
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
    /** Milliseconds since the epoch. */
    petsSunset: read("PETS_SUNSET"),
    grpcReflection: read("GRPC_REFLECTION") === "on",
    logLevel: read("LOG_LEVEL"),
    /** Undefined when requests are not traced. */
    tracing: tracingConfig(read),
    slowRequestMs: read("SLOW_REQUEST_MS"),
    accessLog: read("ACCESS_LOG"),
    /** From 0 to 1. */
    accessLogSample: read("ACCESS_LOG_SAMPLE"),
    accessLogLinesPerSecond: read("ACCESS_LOG_LINES_PER_SECOND"),
    /** Undefined when there is no admin port. Port 0 means any free one. */
    admin: address && {
      ...address,
      /** Whether the service cannot start without it. */
      isRequired: sources.textOf("ADMIN_ADDR").text !== settings.ADMIN_ADDR.default,
      /** Whether it serves heap snapshots and CPU profiles. */
      debug: read("ADMIN_DEBUG") === "on",
    },
  };
  if (config.listener.requestTimeoutMs < config.listener.headersTimeoutMs) {
    faults.push("REQUEST_TIMEOUT_MS must not be less than HEADERS_TIMEOUT_MS");
  }
  if (config.workers > 1 && !hasRedis) {
    faults.push(
      "WORKERS is more than 1: set REDIS_URL too, because workers share data only in Redis",
    );
  }
  return config;
}
