import { singleFlight } from "connect-gateway/call";
import { Redis, type RedisOptions } from "ioredis";
import { type Credentials, currentCredentials, readCredentials } from "./credentials.ts";
import { createGroupCommit, type GroupCommit } from "./group-commit.ts";
import { readRunId } from "./info.ts";
import type { NodeWatch } from "./outages.ts";
import { createPermissionCheck } from "./permissions.ts";
import { startReplyDeadline } from "./reply-deadline.ts";
import { addressText, type RedisAddress, type RedisSettings } from "./settings.ts";
import { onConnectionError } from "./socket-errors.ts";
import type { TimeBudget } from "./time-budget.ts";

/**
 * Makes a node, and begins to connect.
 *
 * @param watch learns whether the node can be used, until it is closed
 * @param isCurrent called after each new connection until it returns true: then the connection can be used. It must not
 * throw. Without it, the connection can be used at once
 */
export type NodeFactory = (
  address: RedisAddress,
  watch: NodeWatch,
  isCurrent?: () => Promise<boolean>,
) => RedisNode;

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
export function createNodeFactory(options: NodeOptions): NodeFactory {
  const { settings, onFailure } = options;
  const faultOf = createFaultCheck(settings);
  const newCredentials = () => currentCredentials(settings, onFailure);
  // Missing or invalid files are reported before the first connection.
  newCredentials();
  const common = { ...options, faultOf, newCredentials };
  return (address, watch, isCurrent = async () => true) =>
    new RedisNode(common, address, watch, isCurrent);
}

/** What the nodes of a connection share. */
interface Common extends NodeOptions {
  /** Returns why a server that has accepted the connection cannot be used. */
  readonly faultOf: (redis: Redis) => Promise<Error | undefined>;
  readonly newCredentials: () => Credentials;
}

/** A Redis server, and the connections to it. */
export class RedisNode {
  /** `<host>:<port>` */
  readonly address: string;
  readonly timeBudget: TimeBudget;
  readonly #common: Common;
  readonly #options: RedisOptions;
  readonly #watch: NodeWatch;
  readonly #isCurrent: () => Promise<boolean>;
  /** Functions to call when a connection becomes ready. One listener calls all of them, because there can be many. */
  readonly #waiting = new Set<() => void>();
  /** The clients whose server accepts commands. */
  readonly #usable = new Set<Redis>();
  #clients: Clients;
  #failure: Error | undefined;
  #isWritable = false;
  #isClosed = false;
  #hadConnection = false;

  constructor(
    common: Common,
    address: RedisAddress,
    watch: NodeWatch,
    isCurrent: () => Promise<boolean>,
  ) {
    this.address = addressText(address);
    this.timeBudget = common.newTimeBudget();
    this.#common = common;
    this.#watch = watch;
    this.#isCurrent = isCurrent;
    this.#options = {
      ...address,
      db: common.settings.database,
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      connectTimeout: 1_000,
      disconnectTimeout: 100,
      // Closes the connection to a stalled server, so that pending commands do not accumulate.
      socketTimeout: this.timeBudget.deadlineMs() + leaveAfterMs,
      // `#check` waits for a server that is loading its data, and knows that this is the reason.
      enableReadyCheck: false,
      // Its commands need a permission of their own.
      disableClientInfo: true,
      // A demoted primary rejects writes. Reconnecting finds its successor.
      reconnectOnError: (error) => error.message.startsWith("READONLY"),
    };
    this.#clients = this.#connectAll();
  }

  /** The connection for all commands that do not wait for replicas. */
  get redis(): Redis {
    return this.#clients.redis;
  }

  /** Sends changes on a connection of their own, because WAIT delays all later commands; undefined if replicas need none. */
  get commit(): GroupCommit | undefined {
    return this.#clients.commit;
  }

  /** Whether commands can be sent. Outside a cluster, false for a replica, because its data can be outdated. */
  isReady(): boolean {
    const isReady = this.#areUsable(this.#clients);
    this.#hadConnection ||= isReady;
    return isReady;
  }

  /** Whether the server has accepted a write since the connections became ready. */
  isWritable(): boolean {
    return this.#isWritable;
  }

  /** Whether the first attempt to connect has neither succeeded nor failed. */
  isNew(): boolean {
    return !this.isReady() && !this.#hadConnection && this.#failure === undefined;
  }

  /** The error of the last attempt to connect; undefined after a success. */
  failure(): Error | undefined {
    return this.#failure;
  }

  /** Waits for the connections. @returns whether there are connections now */
  async ready(timeoutMs: number): Promise<boolean> {
    return this.isReady() || (await this.#areReady(this.#clients, timeoutMs));
  }

  /** Checks again whether the user may do everything that the service does. Otherwise no command is sent. Never rejects. */
  readonly recheck = singleFlight(async () => {
    await Promise.all([...this.#usable].map((redis) => this.#check(redis, redis.stream)));
  });

  /** Reports to the watch that the server can be used, as soon as it accepts writes. Reads are sent in the meantime. */
  async reportWritable(): Promise<void> {
    const { redis } = this;
    const { stream } = redis;
    const fault = await redis.eval(writeProbe, 0).then(
      () => undefined,
      (error: Error) => error,
    );
    const isOther = redis.stream !== stream || redis !== this.redis;
    if (isOther || !this.isReady() || this.#isClosed) return;
    if (fault) setTimeout(() => this.isReady() && this.reportWritable(), checkAgainMs).unref();
    else {
      this.#isWritable = true;
      this.#watch.usable();
    }
  }

  /**
   * Connects again with the password and certificates that the files have now. The present connections stay until the new
   * ones are ready, so no command fails.
   *
   * @throws Error when a file cannot be used, or there is no new connection in time. The present ones stay
   */
  async reconnect(): Promise<void> {
    readCredentials(this.#common.settings);
    const fresh = this.#connectAll();
    const { promise: refused, resolve } = Promise.withResolvers<boolean>();
    for (const client of fresh.all) client.once("error", () => resolve(false));
    if (!(await Promise.race([this.#areReady(fresh, reconnectMs), refused]))) {
      for (const client of fresh.all) client.disconnect();
      throw this.#failure ?? new Error(`no connection within ${reconnectMs} ms`);
    }
    const former = this.#clients;
    this.#clients = fresh;
    void this.reportWritable();
    await this.#quitAll(former);
  }

  /** Closes the connections when all pending commands have their replies. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#quitAll(this.#clients);
  }

  /** Closes the connections at once. Pending commands fail. */
  disconnect(): void {
    this.#isClosed = true;
    for (const client of this.#clients.all) client.disconnect();
  }

  #connectAll(): Clients {
    const redis = this.#connect();
    const { ackReplicas } = this.#common.settings;
    if (ackReplicas === 0) return { all: [redis], redis, commit: undefined };
    const changes = this.#connect();
    return { all: [redis, changes], redis, commit: createGroupCommit(changes, ackReplicas) };
  }

  #connect(): Redis {
    const { newCredentials, onFailure } = this.#common;
    const redis = new Redis({
      ...this.#options,
      ...newCredentials(),
      retryStrategy(times) {
        // ioredis reads these options when it connects.
        Object.assign(redis.options, newCredentials());
        return Math.min(times * 50, 500) + Math.random() * 100;
      },
    });
    onConnectionError(redis, (error) => {
      this.#failure = error;
      onFailure(error);
    });
    redis.on("ready", () => void this.#check(redis, redis.stream));
    redis.on("close", () => this.#closed(redis));
    return redis;
  }

  #closed(redis: Redis): void {
    this.#usable.delete(redis);
    this.#isWritable = false;
    // Former clients close after new ones have taken their place.
    if (this.#isClosed || !this.#clients.all.includes(redis)) return;
    this.#failure ??= new Error("the connection was closed");
    this.#watch.lost(this.#failure.message);
  }

  /** Marks a client as usable if its server accepts commands. @param stream the socket that became ready */
  async #check(redis: Redis, stream: Redis["stream"]): Promise<void> {
    const isCurrentStream = () => redis.status === "ready" && redis.stream === stream;
    let fault = await this.#common.faultOf(redis);
    if (!fault && !this.#usable.has(redis) && !(await this.#isCurrent())) {
      fault = new Error(isNotPrimary);
    }
    if (!isCurrentStream()) return;
    if (fault) {
      this.#refuse(redis, fault);
      setTimeout(() => this.#check(redis, stream), checkAgainMs).unref();
      return;
    }
    this.#failure = undefined;
    if (this.#usable.has(redis)) return;
    await readRunId(redis);
    if (!isCurrentStream()) return;
    this.#usable.add(redis);
    if (this.isReady()) void this.reportWritable();
    for (const recheck of this.#waiting) recheck();
    this.#common.onConnect();
  }

  #refuse(redis: Redis, fault: Error): void {
    this.#failure = fault;
    if (fault.message !== isReplica && fault.message !== isNotPrimary) {
      this.#common.onFailure(fault);
    }
    this.#isWritable = false;
    if (this.#usable.delete(redis) && !this.#isClosed) this.#watch.lost(fault.message);
  }

  #areUsable({ all }: Clients): boolean {
    return all.every((client) => this.#usable.has(client));
  }

  /** Waits until all clients are ready. @returns whether they are, within `timeoutMs` */
  async #areReady(clients: Clients, timeoutMs: number): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const recheck = () => {
      if (this.#areUsable(clients)) resolve(true);
    };
    const timer = setTimeout(() => resolve(false), timeoutMs);
    this.#waiting.add(recheck);
    recheck();
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(recheck);
    }
  }

  /** Closes connections when all pending commands have their replies. */
  async #quitAll({ all, commit }: Clients): Promise<void> {
    // Changes can still wait to be sent. An empty change is sent after them, and has its reply after theirs.
    const deadline = startReplyDeadline(this.timeBudget.deadlineMs());
    await deadline.limit(commit?.(async () => {}, deadline) ?? Promise.resolve()).catch(() => {});
    await Promise.all(all.map(quit));
  }
}

/** Makes a function that returns why a server that has accepted the connection cannot be used; undefined when it can. */
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
