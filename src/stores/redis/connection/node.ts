import { singleFlight } from "connect-gateway/call";
import { Redis, type RedisOptions } from "ioredis";
import { currentCredentials, readCredentials } from "./credentials.ts";
import { createGroupCommit, type GroupCommit } from "./group-commit.ts";
import type { NodeWatch } from "./outages.ts";
import { createPermissionCheck } from "./permissions.ts";
import { startReplyDeadline } from "./reply-deadline.ts";
import { readRunId } from "./run-id.ts";
import { addressText, type RedisAddress, type RedisSettings } from "./settings.ts";
import { onConnectionError } from "./socket-errors.ts";
import type { TimeBudget } from "./time-budget.ts";

/** A Redis server, and the connections to it. */
export type RedisNode = ReturnType<NodeFactory>;

export type NodeFactory = ReturnType<typeof createNodeFactory>;

export interface NodeOptions {
  readonly settings: RedisSettings;
  /** Called with the error of every failed attempt to connect. */
  readonly onFailure: (error: unknown) => void;
  /** Called after every connection to a server. */
  readonly onConnect: () => void;
  /** Makes the time budget of a server: how long its commands may take. */
  readonly newTimeBudget: () => TimeBudget;
}

interface Clients {
  readonly all: readonly Redis[];
  readonly redis: Redis;
  readonly commit: GroupCommit | undefined;
}

/** The timeout of QUIT, in milliseconds. */
const quitMs = 300;

/** The time between a missed deadline and the end of the connection to an unresponsive server, in milliseconds. */
const leaveAfterMs = 700;

/** How long a connection with new credentials may take, in milliseconds. */
const reconnectMs = 5_000;

/** The pause before a server that cannot be used is checked again, in milliseconds. A replica can become the primary. */
const checkAgainMs = 100;

/** Faults that end with the failover that has caused them. */
const isReplica = "the server is a replica";
const isNotPrimary = "the server is not the primary any more";

/** Redis runs this script only if it would accept a write: enough memory and replicas, no failure to save. */
const writeProbe = "#!lua\nreturn 1";

/** Makes the function that makes nodes. It reads the password and the certificates again for every connection. */
export function createNodeFactory({ settings, onFailure, onConnect, newTimeBudget }: NodeOptions) {
  const faultOf = createFaultCheck(settings);

  const newCredentials = () => currentCredentials(settings, onFailure);
  // Missing or invalid files are reported before the first connection.
  newCredentials();

  /**
   * Makes a node, and begins to connect.
   *
   * @param watch learns whether the node can be used, until it is closed
   * @param isCurrent called after each new connection, and again until it returns true. Then the connection can be
   * used. It must not throw. Without it, the connection can be used at once
   */
  return (address: RedisAddress, watch: NodeWatch, isCurrent = async () => true) => {
    const timeBudget = newTimeBudget();
    const options: RedisOptions = {
      ...address,
      db: settings.database,
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      connectTimeout: 1_000,
      disconnectTimeout: 100,
      // Closes the connection to a stalled server, so that pending commands do not accumulate.
      socketTimeout: timeBudget.deadlineMs() + leaveAfterMs,
      // `check` waits for a server that is loading its data, and knows that this is the reason.
      enableReadyCheck: false,
      // Its commands need a permission of their own.
      disableClientInfo: true,
      // A demoted primary rejects writes. Reconnecting finds its successor.
      reconnectOnError: (error) => error.message.startsWith("READONLY"),
    };
    let failure: Error | undefined;
    /** Functions to call when a connection becomes ready. One listener calls all of them, because there can be many. */
    const waiting = new Set<() => void>();
    /** The clients whose server accepts commands. */
    const usable = new Set<Redis>();
    let isWritable = false;

    function connect(): Redis {
      const redis = new Redis({
        ...options,
        ...newCredentials(),
        retryStrategy(times) {
          // ioredis reads these options when it connects.
          Object.assign(redis.options, newCredentials());
          return Math.min(times * 50, 500) + Math.random() * 100;
        },
      });
      onConnectionError(redis, (error) => {
        failure = error;
        onFailure(error);
      });
      redis.on("ready", () => void check(redis, redis.stream));
      redis.on("close", () => closed(redis));
      return redis;
    }

    function closed(redis: Redis): void {
      usable.delete(redis);
      isWritable = false;
      // Former clients close after new ones have taken their place.
      if (isClosed || !clients.all.includes(redis)) return;
      failure ??= new Error("the connection was closed");
      watch.lost(failure.message);
    }

    /** Marks a client as usable if its server accepts commands. @param stream the socket that became ready */
    async function check(redis: Redis, stream: Redis["stream"]): Promise<void> {
      let fault = await faultOf(redis);
      if (!fault && !usable.has(redis) && !(await isCurrent())) fault = new Error(isNotPrimary);
      if (redis.status !== "ready" || redis.stream !== stream) return;
      if (fault) {
        refuse(redis, fault);
        setTimeout(check, checkAgainMs, redis, stream).unref();
        return;
      }
      failure = undefined;
      if (usable.has(redis)) return;
      await readRunId(redis);
      if (redis.status !== "ready" || redis.stream !== stream) return;
      usable.add(redis);
      if (isReady()) void reportWritable();
      for (const recheck of waiting) recheck();
      onConnect();
    }

    /** Reports that the server can be used, as soon as it accepts writes. Reads are sent to it in the meantime. */
    async function reportWritable(): Promise<void> {
      const { redis } = clients;
      const { stream } = redis;
      const fault = await redis.eval(writeProbe, 0).then(
        () => undefined,
        (error: Error) => error,
      );
      if (redis.stream !== stream || redis !== clients.redis || !isReady() || isClosed) return;
      if (fault) setTimeout(() => isReady() && reportWritable(), checkAgainMs).unref();
      else {
        isWritable = true;
        watch.usable();
      }
    }

    function refuse(redis: Redis, fault: Error): void {
      failure = fault;
      if (fault.message !== isReplica && fault.message !== isNotPrimary) onFailure(fault);
      isWritable = false;
      if (usable.delete(redis) && !isClosed) watch.lost(fault.message);
    }

    function connectAll(): Clients {
      const redis = connect();
      if (settings.ackReplicas === 0) return { all: [redis], redis, commit: undefined };
      const changes = connect();
      return {
        all: [redis, changes],
        redis,
        commit: createGroupCommit(changes, settings.ackReplicas),
      };
    }

    /** Waits until all clients are ready. @returns whether they are, within `timeoutMs` */
    async function areReady(all: readonly Redis[], timeoutMs: number): Promise<boolean> {
      const { promise, resolve } = Promise.withResolvers<boolean>();
      const recheck = () => {
        if (all.every((client) => usable.has(client))) resolve(true);
      };
      const timer = setTimeout(() => resolve(false), timeoutMs);
      waiting.add(recheck);
      recheck();
      try {
        return await promise;
      } finally {
        clearTimeout(timer);
        waiting.delete(recheck);
      }
    }

    /** Closes connections when all pending commands have their replies. */
    async function quitAll({ all, commit }: Clients): Promise<void> {
      // Changes can still wait to be sent. An empty change is sent after them, and has its reply after theirs.
      const deadline = startReplyDeadline(timeBudget.deadlineMs());
      await deadline.limit(commit?.(async () => {}, deadline) ?? Promise.resolve()).catch(() => {});
      await Promise.all(all.map(quit));
    }

    let clients = connectAll();
    let isClosed = false;
    let hadConnection = false;
    const isReady = () => {
      const all = clients.all.every((client) => usable.has(client));
      hadConnection ||= all;
      return all;
    };
    return {
      /** `<host>:<port>` */
      address: addressText(address),
      /** The connection for all commands that do not wait for replicas. */
      get redis() {
        return clients.redis;
      },
      /**
       * Sends changes that replicas must have; undefined when changes do not wait for replicas. It has a connection of
       * its own, because WAIT delays all later commands of a connection.
       */
      get commit() {
        return clients.commit;
      },
      timeBudget,
      /** Whether commands can be sent. Outside a cluster, false for a replica, because its data can be outdated. */
      isReady,
      /** Whether the server has accepted a write since the connections became ready. */
      isWritable: () => isWritable,
      /** Reports to the watch that the server can be used, as soon as it accepts writes. */
      reportWritable,
      /** Whether the first attempt to connect has neither succeeded nor failed. */
      isNew: () => !isReady() && !hadConnection && failure === undefined,
      /** The error of the last attempt to connect; undefined after a success. */
      failure: () => failure,
      /** Waits for the connections. @returns whether there are connections now */
      async ready(timeoutMs: number): Promise<boolean> {
        return isReady() || (await areReady(clients.all, timeoutMs));
      },
      /**
       * Checks again whether the user may do everything that the service does. Otherwise no command is sent until it
       * may. Never rejects.
       */
      recheck: singleFlight(async () => {
        await Promise.all([...usable].map((redis) => check(redis, redis.stream)));
      }),
      /**
       * Connects again with the password and certificates that the files have now. The present connections stay until
       * the new ones are ready, so no command fails.
       *
       * @throws Error when a file cannot be used, or there is no new connection in time. The present ones stay
       */
      async reconnect(): Promise<void> {
        readCredentials(settings);
        const fresh = connectAll();
        const { promise: refused, resolve } = Promise.withResolvers<boolean>();
        for (const client of fresh.all) client.once("error", () => resolve(false));
        if (!(await Promise.race([areReady(fresh.all, reconnectMs), refused]))) {
          for (const client of fresh.all) client.disconnect();
          throw failure ?? new Error(`no connection within ${reconnectMs} ms`);
        }
        const former = clients;
        clients = fresh;
        void reportWritable();
        await quitAll(former);
      },
      /** Closes the connections when all pending commands have their replies. */
      async close(): Promise<void> {
        isClosed = true;
        await quitAll(clients);
      },
      /** Closes the connections at once. Pending commands fail. */
      disconnect(): void {
        isClosed = true;
        for (const client of clients.all) client.disconnect();
      },
    };
  };
}

/**
 * Makes a function that returns why a server that has accepted the connection cannot be used; undefined when it can. It
 * never throws.
 */
function createFaultCheck(settings: RedisSettings): (redis: Redis) => Promise<Error | undefined> {
  const { mode, database } = settings;
  const permissionFault = createPermissionCheck(settings);
  return async (redis) => {
    // A cluster redirects commands to primaries. A user without the permission for ROLE can still use the server.
    if (mode !== "cluster" && (await roleOf(redis)) === "slave") return new Error(isReplica);
    return (await permissionFault(redis)) ?? (await selectFault(redis, database));
  };
}

/** @returns why a server refuses the database. ioredis would continue with database 0 */
async function selectFault(redis: Redis, database: number): Promise<Error | undefined> {
  if (database === 0) return undefined;
  return redis.select(database).then(
    () => undefined,
    ({ message }: Error) => new Error(`SELECT ${database}: ${message}`),
  );
}

/** @returns the role of a server; undefined when the user may not read it */
async function roleOf(redis: Redis): Promise<string | undefined> {
  const [role] = (await redis.call("ROLE").catch(() => [])) as readonly string[];
  return role;
}

/** Closes a connection when all pending commands have their replies, or after {@link quitMs}. */
async function quit(redis: Redis): Promise<void> {
  const timer = setTimeout(() => redis.disconnect(), quitMs);
  await redis.quit().catch(() => redis.disconnect());
  clearTimeout(timer);
}
