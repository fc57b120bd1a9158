import { Code, ConnectError } from "@connectrpc/connect";
import { createTrail, type LogEntry } from "../../audit/audit-log.ts";
import { thisOperator } from "../../audit/this-operator.ts";
import { append } from "../../common/append.ts";
import { present } from "../../common/present.ts";
import { readRedisConfig } from "../../config/config.ts";
import { operatorTransport } from "../../services/services.ts";
import { type Connection, connectRedis } from "../../stores/redis/connection/connection.ts";
import type { RedisSettings } from "../../stores/redis/connection/settings.ts";
import { constantTimeBudget } from "../../stores/redis/connection/time-budget.ts";
import { FormatError } from "../../stores/redis/format.ts";
import { createRedisStores } from "../../stores/redis/stores.ts";
import type { Stores } from "../../stores/stores.ts";
import { CommandError, orUsageError } from "../command-error.ts";
import type { Environment } from "../environment.ts";
import { print } from "../output/terminal.ts";
import { clientsOn, type Session } from "./clients.ts";
import { serverTarget } from "./server-target.ts";
import { toCommandError } from "./service-error.ts";
import { storeEvents } from "./stock-events.ts";

/** Returns a function that logs the entries that a command adds to the audit trail, as the service logs its own. */
export function auditLogOf({ auditLog }: Environment): LogEntry {
  if (!auditLog) return () => {};
  return (entry) => {
    const line = { level: 30, time: new Date().toISOString(), ...entry, msg: "audit entry" };
    print(auditLog, `${JSON.stringify(line)}\n`);
  };
}

/** Longest time to wait for Redis, in milliseconds. */
const readyTimeoutMs = 5_000;

/** When a command says that it waits for Redis, in milliseconds. */
const noticeMs = 700;

const isFinal =
  /ECONNREFUSED|ENOTFOUND|EHOSTUNREACH|ENETUNREACH|refuses|requires|not trusted|does not (?:speak|know)|REDIS_MODE|no such|NOPERM/;

const noReply = `REDIS_URL: Redis did not respond within ${readyTimeoutMs} ms. Check whether it is overloaded or loading its data`;

/**
 * How long a reply of Redis may take, in milliseconds. It is longer than in the service, because an operator would rather
 * wait than not know whether a change was made. It is short enough to say within `readyTimeoutMs` which server is silent.
 */
const replyMs = 2_000;

/** How long a command of Redis may take when data is moved, in milliseconds. */
const commandMs = 10_000;

/** Returns clients that call the services on the given stores as an operator. The audit trail has all changes. */
export function sessionOn(
  stores: Stores,
  operator = thisOperator(process.env),
  logEntry: LogEntry = () => {},
): Session {
  const options = { recorded: "changes", trail: createTrail(stores, logEntry) } as const;
  const transport = operatorTransport(stores, operator, options);
  return {
    ...clientsOn(transport),
    stockEvents: (signal, selection) => storeEvents(stores, signal, selection),
  };
}

/**
 * Connects to a server or to Redis, as {@link serverTarget} chooses, while `use` runs.
 *
 * @throws CommandError if REDIS_URL is missing, a setting is invalid, the server or Redis cannot be reached, or a service
 * rejects a request
 */
export async function withSession<T>(
  environment: Environment,
  use: (session: Session) => Promise<T>,
): Promise<T> {
  const target = await serverTarget(environment);
  if (target) {
    const { withServer } = await import("./server-session.ts");
    return withServer(environment, target, use);
  }
  return withStores(environment, (stores) =>
    use(sessionOn(stores, thisOperator(environment.env), auditLogOf(environment))),
  );
}

/** Connects to Redis and passes the stores, for commands that no service offers. */
export function withStores<T>(
  environment: Environment,
  use: (stores: Stores) => Promise<T>,
): Promise<T> {
  const timeBudget = constantTimeBudget(replyMs);
  return whileOpen(environment, (redis) => createRedisStores(redis, { timeBudget }), use);
}

/**
 * Connects to Redis and passes the connection, for commands that move the data itself. It checks no format.
 * Commands of Redis may take long, because the service can be busy in the meantime.
 */
export function withConnection<T>(
  environment: Environment,
  use: (connection: Connection) => Promise<T>,
): Promise<T> {
  const timeBudget = constantTimeBudget(commandMs);
  return whileOpen(
    environment,
    (redis) => connectRedis(redis, { newTimeBudget: () => timeBudget }),
    use,
  );
}

/** Opens something that needs Redis, and closes it after `use`. */
async function whileOpen<S extends Opened, T>(
  environment: Environment,
  open: (redis: RedisSettings) => S,
  use: (opened: S) => Promise<T>,
): Promise<T> {
  const redis = orUsageError(() => readRedisConfig(environment.env));
  if (!redis) {
    throw new CommandError(
      "failed_precondition",
      "REDIS_URL is not set: set it to the Redis of the service. Most commands can call a running service instead, with --server or INVENTORY_SERVER. A service without Redis keeps its data in memory, where only its own calls reach it",
      2,
    );
  }
  const opened = open(redis);
  try {
    await ready(environment, opened);
    return await use(opened);
  } catch (error) {
    if (error instanceof FormatError) throw new CommandError("failed_precondition", error.message);
    // A command has no log for a bug, which is the cause.
    const isBug = error instanceof ConnectError && error.code === Code.Internal;
    throw toCommandError(environment, isBug ? (error.cause ?? error) : error);
  } finally {
    await opened.close();
  }
}

/** Waits until Redis can be used. Within a second, says why it cannot yet. @throws CommandError */
async function ready({ stderr, jsonErrors }: Environment, opened: Opened): Promise<void> {
  try {
    await opened.ready(noticeMs);
  } catch (error) {
    const why = causeText(error);
    if (why === undefined || !isFinal.test(why)) {
      if (!jsonErrors) print(stderr, `waiting for Redis: ${why ?? "it has not responded yet"}\n`);
      await opened.ready(readyTimeoutMs - noticeMs).catch((last: unknown) => {
        throw new CommandError("unavailable", causeText(last) ?? noReply);
      });
      return;
    }
    throw new CommandError("unavailable", why);
  }
}

/** Returns why Redis is not ready. @returns undefined if that is not known. @throws errors of another kind */
function causeText(error: unknown): string | undefined {
  if (!(error instanceof ConnectError)) throw error;
  if (error.cause instanceof FormatError) throw error.cause;
  const why = error.cause instanceof Error ? error.cause.message : undefined;
  return why?.startsWith("no reply within ") ? undefined : why;
}

type Opened = Pick<Stores, "ready" | "close">;

/** The largest page that a service returns, but for those below. */
const largestPage = 1_000;

/** The largest page of changes, of holds and of the audit trail. */
export const smallPage = { changes: 200, holds: 200, auditEntries: 100 };

export interface PageRequest {
  readonly pageSize: number;
  readonly pageToken: string;
}

/** Reads a list page by page, up to the limit of the environment. @param largest the most elements of one page */
export async function allPages<P extends object, T>(
  { limit, showsProgress, stderr }: Pick<Environment, "limit"> & Partial<Environment>,
  read: (page: PageRequest) => Promise<P>,
  elementsOf: (page: P) => readonly T[],
  largest = largestPage,
): Promise<T[]> {
  const most = limit ?? Number.POSITIVE_INFINITY;
  const pageSize = Math.min(most, largest);
  const found: T[] = [];
  let pageToken = "";
  do {
    const page = await read({ pageSize, pageToken });
    append(found, elementsOf(page));
    // A method without pages returns the whole list.
    pageToken = "nextPageToken" in page ? `${page.nextPageToken}` : "";
  } while (pageToken !== "" && found.length < most);
  if (stderr && showsProgress && (pageToken !== "" || found.length > most)) {
    print(stderr, "There are more: set a higher --limit to list them.\n");
  }
  return found.slice(0, most);
}

/** Returns a message field that every response has. @throws Error if it is absent, which is a bug of the service */
export function required<T>(message: T): NonNullable<T> {
  return present(message, "a message that every response has");
}
