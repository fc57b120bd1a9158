import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Redis } from "ioredis";
import {
  countAcknowledging,
  freePort,
  inspect,
  passwordOptions,
  type RedisServer,
  startRedisAt,
} from "./redis-server.ts";
import { until } from "./until.ts";

/** The name of the primary, as the sentinels know it. */
const primaryName = "stock";

/** Number of sentinels that must agree that the primary is down. */
const quorum = 2;

/**
 * The time that each sentinel waits longer than the one before, in ms. Sentinels that begin a failover at once would each
 * vote for themselves.
 */
const stepMs = 250;

/** Longest wait for a state of the servers, in ms. It is long, because the machine may be busy. */
const busyMs = 60_000;

/** How the servers are started. */
export interface SentinelOptions {
  /** Number of replicas; default 2. */
  readonly replicas?: number;
  /**
   * Time without a reply after which the first sentinel takes the primary for down, in ms; default 1,000. If it is short,
   * sentinels on a busy machine replace a primary that lives.
   */
  readonly downAfterMs?: number;
  /** Password of the Redis servers and of the sentinels; default: none is needed. */
  readonly password?: string;
  /** More command-line options of the Redis servers, such as `--appendonly yes`. */
  readonly nodeOptions?: readonly string[];
}

/** A process, with a client to inspect it. */
export interface SentinelNode {
  readonly server: RedisServer;
  readonly client: Redis;
}

/** A primary with replicas, and sentinels that watch them. */
export interface RedisSentinels {
  /** URLs of the current sentinels. They do not contain the password. */
  readonly urls: readonly string[];
  /** The settings of a service that uses them, without the password. */
  readonly environment: Readonly<Record<string, string>>;
  readonly sentinels: readonly SentinelNode[];
  /** The Redis servers, whatever their role. */
  readonly nodes: readonly SentinelNode[];
  /** The server that most sentinels call the primary. It may be down. */
  primary(): Promise<SentinelNode>;
  /** Waits until the primary is another server than `before`, and accepts writes. @returns it */
  failedOver(before: SentinelNode): Promise<SentinelNode>;
  /** Makes the primary a replica, and a replica the primary. Both go on running. */
  demotePrimary(): Promise<void>;
  /** Keeps all later changes of the primary from its replicas, until it is killed. */
  cutOffReplicas(): Promise<void>;
  /** Starts a killed server as a replica of the primary. */
  startAsReplica(node: SentinelNode): Promise<void>;
  /** Waits until all replicas have the data of the primary, and all sentinels know all servers. */
  whole(): Promise<void>;
  /** Replaces the oldest sentinel by one with another port, and waits until all know that. */
  replaceOldestSentinel(): Promise<void>;
  /** Ends all processes and removes their data. */
  stop(): Promise<void>;
}

/** Starts a primary, its replicas and three sentinels on free ports of the loopback address. */
export async function startRedisSentinels(options: SentinelOptions = {}): Promise<RedisSentinels> {
  const { replicas = 2, password, downAfterMs = 1_000 } = options;
  const nodes: SentinelNode[] = [];
  const sentinels: SentinelNode[] = [];
  let replaced = 0;
  const stop = async () => {
    const all = [...sentinels, ...nodes];
    for (const { client } of all) client.disconnect();
    await Promise.all(all.map(({ server }) => server.stop()));
  };

  async function primary(): Promise<SentinelNode> {
    const ports = await Promise.all(sentinels.map(primaryPort));
    const found = nodes.find(
      ({ server }) => ports.filter((port) => port === server.port).length > sentinels.length / 2,
    );
    if (!found) throw new Error(`the sentinels do not agree on the primary: ${ports}`);
    return found;
  }

  async function isWhole(): Promise<boolean> {
    try {
      const [current, states] = await Promise.all([primary(), Promise.all(nodes.map(roleOf))]);
      const following = states.filter(
        ({ role, port, isUp }) => role === "slave" && port === current.server.port && isUp,
      );
      const views = await Promise.all(sentinels.map(viewOf));
      return (
        following.length === nodes.length - 1 &&
        (await countAcknowledging(current.client)) === nodes.length - 1 &&
        views.every(
          (view) =>
            view.isCalm &&
            view.port === current.server.port &&
            view.replicas === nodes.length - 1 &&
            view.sentinels === sentinels.length - 1,
        )
      );
    } catch {
      return false; // a server is starting, or the sentinels do not agree yet
    }
  }

  try {
    for (let index = 0; index <= replicas; index++) nodes.push(await startNode(options, nodes[0]));
    for (const steps of [0, 1, 2]) {
      sentinels.push(await startSentinel(nodes[0], password, downAfterMs + steps * stepMs));
    }
    await until("the sentinels know all servers", isWhole, busyMs);
  } catch (error) {
    await stop();
    throw error;
  }

  const urls = () => sentinels.map(({ server }) => server.url);
  return {
    get urls() {
      return urls();
    },
    get environment() {
      const REDIS_URL = urls().join();
      return { REDIS_MODE: "sentinel", REDIS_URL, REDIS_SENTINEL_NAME: primaryName };
    },
    sentinels,
    nodes,
    primary,
    async failedOver(before) {
      return until(
        "another server is the primary",
        async () => {
          const current = await primary().catch(() => undefined);
          if (current === undefined || current === before) return undefined;
          const state = await roleOf(current).catch(() => undefined);
          return state?.role === "master" ? current : undefined;
        },
        busyMs,
      );
    },
    async demotePrimary() {
      const before = await primary();
      await until(
        "the primary is demoted",
        async () => {
          // Fails while another failover runs. Sentinels give up, too, if they have read no offset lately.
          await sentinels[0]?.client.call("SENTINEL", "FAILOVER", primaryName).catch(() => {});
          await delay(100);
          return (await roleOf(before).catch(() => undefined))?.role === "slave";
        },
        busyMs,
      );
    },
    async cutOffReplicas() {
      const { client } = await primary();
      // Replicas connect again, but do not know this password. All other connections stay.
      await client.config("SET", "requirepass", "unknown-to-replicas");
      await client.call("CLIENT", "KILL", "TYPE", "replica");
    },
    async startAsReplica(node) {
      await node.server.start();
      const { port } = (await primary()).server;
      await until("the server is a replica", async () => {
        await node.client.replicaof("127.0.0.1", port).catch(() => {}); // the client reconnects
        return (await roleOf(node).catch(() => undefined))?.role === "slave";
      });
    },
    whole: () => until("all replicas and sentinels are in step", isWhole, busyMs).then(),
    async replaceOldestSentinel() {
      const downAfter = downAfterMs + (replaced % sentinels.length) * stepMs;
      replaced += 1;
      sentinels.push(await startSentinel(await primary(), password, downAfter));
      await until("the new sentinel is known", isWhole, busyMs);
      const [oldest] = sentinels.splice(0, 1);
      oldest?.client.disconnect();
      await oldest?.server.stop();
      // Sentinels do not forget others by themselves.
      for (const { client } of sentinels) {
        await client.call("SENTINEL", "RESET", primaryName);
        await until("all replicas and sentinels are known again", isWhole, busyMs);
      }
    },
    stop,
  };
}

async function startNode(
  { password, nodeOptions = [] }: SentinelOptions,
  primary: SentinelNode | undefined,
): Promise<SentinelNode> {
  const of = primary === undefined ? [] : ["--replicaof", `127.0.0.1 ${primary.server.port}`];
  const server = await startRedisAt(await freePort(), () => [
    ...["--repl-diskless-sync-delay", "0", "--repl-ping-replica-period", "1"],
    ...passwordOptions(password),
    ...nodeOptions,
    ...of,
  ]);
  return { server, client: inspect(server, password) };
}

/** Starts a sentinel, which finds the replicas and the other sentinels through the primary. */
async function startSentinel(
  primary: SentinelNode | undefined,
  password: string | undefined,
  downAfter: number,
): Promise<SentinelNode> {
  const port = await freePort();
  const primaryPort = primary?.server.port ?? 0;
  const server = await startRedisAt(port, (directory) => {
    const file = join(directory, "sentinel.conf");
    const lines = [
      `port ${port}`,
      "bind 127.0.0.1",
      `dir ${directory}`,
      `sentinel monitor ${primaryName} 127.0.0.1 ${primaryPort} ${quorum}`,
      `sentinel down-after-milliseconds ${primaryName} ${downAfter}`,
      `sentinel failover-timeout ${primaryName} 1000`,
      ...(password === undefined
        ? []
        : [`sentinel auth-pass ${primaryName} ${password}`, `requirepass ${password}`]),
    ];
    writeFileSync(file, `${lines.join("\n")}\n`);
    return [file, "--sentinel"];
  });
  const client = inspect(server, password);
  // By default, sentinels find each other after seconds, and choose the successor of a primary by offsets in the
  // history that can be 10 s old: older than the death of the primary, which they notice sooner here.
  const periods = ["INFO-PERIOD", "PUBLISH-PERIOD", "ASK-PERIOD"].flatMap((name) => [name, "100"]);
  await client.call("SENTINEL", "DEBUG", ...periods);
  return { server, client };
}

/** The port of the primary, as a sentinel knows it. */
async function primaryPort({ client }: SentinelNode): Promise<number> {
  const reply = await client.call("SENTINEL", "GET-MASTER-ADDR-BY-NAME", primaryName);
  return Number((reply as string[] | null)?.[1]);
}

/** What a sentinel knows: the state of the primary, and the numbers of working replicas and of other sentinels. */
async function viewOf({ client }: SentinelNode) {
  const call = async (what: string) =>
    (await client.call("SENTINEL", what, primaryName)) as string[][];
  const field = (of: readonly string[], name: string) => of[of.indexOf(name) + 1] ?? "";
  const working = (known: readonly string[][]) =>
    known.filter((each) => !/down|disconnected/.test(field(each, "flags"))).length;
  const primary = (await client.call("SENTINEL", "MASTER", primaryName)) as string[];
  return {
    port: Number(field(primary, "port")),
    isCalm: field(primary, "flags") === "master",
    replicas: working(await call("REPLICAS")),
    sentinels: working(await call("SENTINELS")),
  };
}

/** The role of a Redis server and, if it is a replica, the port of its primary. */
async function roleOf({ client }: SentinelNode) {
  const text = await client.info("replication");
  const field = (name: string) => new RegExp(`^${name}:(\\S+)`, "m").exec(text)?.[1];
  return {
    role: field("role"),
    port: Number(field("master_port")),
    isUp: field("master_link_status") === "up",
  };
}
