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

/** Number of hash slots of every cluster. */
const slotCount = 16_384;

/** Longest wait for a state of the servers, in ms. It is long, because the machine may be busy. */
const busyMs = 60_000;

export interface ClusterOptions {
  /** Number of primaries; default 3. */
  readonly primaries?: number;
  /** Number of replicas of each primary; default 1. */
  readonly replicas?: number;
  /** Password of the user `default`; default: none is needed. */
  readonly password?: string;
  /** More command-line options of every node, such as `--appendonly yes`. */
  readonly nodeOptions?: readonly string[];
}

/** A process of a cluster, with a client to inspect it. */
export interface ClusterNode {
  readonly server: RedisServer;
  readonly client: Redis;
  /** The id that the node chose, which it keeps when it restarts. */
  readonly id: string;
  readonly isRunning: boolean;
  /** Kills the process with SIGKILL. */
  kill(): Promise<void>;
  /** Starts the process again, with the same data and id. */
  start(): Promise<void>;
}

export interface RedisCluster {
  /** URLs of all nodes. They do not contain the password. */
  readonly urls: readonly string[];
  /** The settings of a service that uses the cluster, without the password. */
  readonly environment: Readonly<Record<string, string>>;
  readonly nodes: readonly ClusterNode[];
  slotOf(key: string): Promise<number>;
  ownerOf(slot: number): Promise<ClusterNode>;
  /** The running nodes that own slots, in the order of {@link nodes}. */
  primaries(): Promise<ClusterNode[]>;
  /** Waits until running nodes own all slots, and all running nodes agree. An election has ended then. */
  elected(): Promise<void>;
  /** Waits until all processes run, agree, and every replica has the data of its primary. */
  whole(): Promise<void>;
  /**
   * Moves a slot with its keys to another primary. Fails if a node is killed in the meantime.
   *
   * @param keysAtOnce number of keys that one step moves
   */
  moveSlot(slot: number, to: ClusterNode, keysAtOnce?: number): Promise<void>;
  flush(): Promise<void>;
  /** Ends all processes and removes their data. */
  stop(): Promise<void>;
}

/** Starts the processes on free ports of the loopback address, and joins them to a cluster. */
export async function startRedisCluster(options: ClusterOptions = {}): Promise<RedisCluster> {
  const { primaries = 3, replicas = 1, password } = options;
  const nodes: ClusterNode[] = [];
  const stop = async () => {
    for (const { client } of nodes) client.disconnect();
    await Promise.all(nodes.map(({ server }) => server.stop()));
  };
  try {
    for (let index = 0; index < primaries * (1 + replicas); index++) {
      nodes.push(await startNode(options));
    }
    await join(nodes, primaries);
    await until("the cluster is whole", () => isWhole(nodes), busyMs);
  } catch (error) {
    await stop();
    throw error;
  }

  const urls = nodes.map(({ server }) => server.url);
  return {
    urls,
    environment: { REDIS_MODE: "cluster", REDIS_URL: urls.join() },
    nodes,
    slotOf: async (key) => Number(await someRunning(nodes).client.call("CLUSTER", "KEYSLOT", key)),
    ownerOf: (slot) => ownerOf(nodes, slot),
    async primaries() {
      const ids = new Set((await rangesOf(someRunning(nodes))).map(({ owner }) => owner));
      return nodes.filter(({ id, isRunning }) => isRunning && ids.has(id));
    },
    elected: () => until("running nodes own all slots", () => isElected(nodes), busyMs).then(),
    whole: () => until("the cluster is whole", () => isWhole(nodes), busyMs).then(),
    moveSlot: (slot, to, keysAtOnce = 10) => moveSlot(nodes, slot, to, keysAtOnce, password),
    async flush() {
      const ids = new Set((await rangesOf(someRunning(nodes))).map(({ owner }) => owner));
      await Promise.all(
        nodes.filter(({ id }) => ids.has(id)).map(({ client }) => client.flushall()),
      );
    },
    stop,
  };
}

async function startNode({ password, nodeOptions = [] }: ClusterOptions): Promise<ClusterNode> {
  const busPort = await freePort();
  const server = await startRedisAt(await freePort(), () => [
    ...["--cluster-enabled", "yes", "--cluster-port", String(busPort)],
    ...["--cluster-node-timeout", "1000", "--cluster-allow-replica-migration", "no"],
    ...["--repl-diskless-sync-delay", "0", "--repl-ping-replica-period", "1"],
    ...passwordOptions(password),
    ...nodeOptions,
  ]);
  const client = inspect(server, password);
  const id = String(await client.call("CLUSTER", "MYID"));
  const own = { isRunning: true };
  return {
    server,
    client,
    id,
    get isRunning() {
      return own.isRunning;
    },
    async kill() {
      own.isRunning = false;
      await server.kill();
    },
    async start() {
      await server.start();
      own.isRunning = true;
    },
  };
}

/** Joins the nodes: the first ones own the slots, the others replicate them in turn. */
async function join(nodes: readonly ClusterNode[], primaries: number): Promise<void> {
  const [first] = nodes;
  for (const [index, { client }] of nodes.entries()) {
    await client.call("CLUSTER", "SET-CONFIG-EPOCH", index + 1);
    if (index < primaries) {
      const from = Math.floor((slotCount * index) / primaries);
      const to = Math.floor((slotCount * (index + 1)) / primaries) - 1;
      await client.call("CLUSTER", "ADDSLOTSRANGE", from, to);
    }
  }
  for (const { client, server } of nodes.slice(1)) {
    const [, busPort] = (await client.config("GET", "cluster-port")) as string[];
    await first?.client.call("CLUSTER", "MEET", "127.0.0.1", server.port, busPort ?? "");
  }
  await until("all nodes know each other", async () => {
    const known = await Promise.all(nodes.map(knownNodes));
    return known.every((count) => count === nodes.length);
  });
  for (const [index, { client }] of nodes.slice(primaries).entries()) {
    await client.call("CLUSTER", "REPLICATE", nodes[index % primaries]?.id ?? "");
  }
}

async function knownNodes({ client }: ClusterNode): Promise<number> {
  const text = String(await client.call("CLUSTER", "NODES"));
  return text.split("\n").filter((line) => line !== "" && !line.includes("handshake")).length;
}

/** Slots in a row with the same owner. */
interface SlotRange {
  readonly from: number;
  readonly to: number;
  /** The id of the node. */
  readonly owner: string;
}

/** The slots as one node knows them, in ascending order. */
async function rangesOf({ client }: ClusterNode): Promise<SlotRange[]> {
  const reply = (await client.call("CLUSTER", "SLOTS")) as [number, number, string[]][];
  return reply
    .map(([from, to, [, , owner = ""]]) => ({ from, to, owner }))
    .sort((a, b) => a.from - b.from);
}

function someRunning(nodes: readonly ClusterNode[]): ClusterNode {
  const found = nodes.find(({ isRunning }) => isRunning);
  if (!found) throw new Error("no node of the cluster is running");
  return found;
}

async function ownerOf(nodes: readonly ClusterNode[], slot: number): Promise<ClusterNode> {
  const ranges = await rangesOf(someRunning(nodes));
  const range = ranges.find(({ from, to }) => from <= slot && slot <= to);
  const found = nodes.find(({ id, isRunning }) => isRunning && id === range?.owner);
  if (!found) throw new Error(`no running node owns slot ${slot}`);
  return found;
}

async function isElected(nodes: readonly ClusterNode[]): Promise<boolean> {
  const running = nodes.filter(({ isRunning }) => isRunning);
  const ids = new Set(running.map(({ id }) => id));
  try {
    const views = await Promise.all(
      running.map(async (node) => ({ state: await stateOf(node), ranges: await rangesOf(node) })),
    );
    const owned = views[0]?.ranges.reduce((sum, { from, to }) => sum + to - from + 1, 0);
    return (
      owned === slotCount &&
      views[0]?.ranges.every(({ owner }) => ids.has(owner)) === true &&
      views.every(({ state }) => state === "ok") &&
      new Set(views.map(({ ranges }) => JSON.stringify(ranges))).size === 1
    );
  } catch {
    return false; // a node is starting
  }
}

async function stateOf({ client }: ClusterNode): Promise<string | undefined> {
  return /cluster_state:(\w+)/.exec(String(await client.call("CLUSTER", "INFO")))?.[1];
}

async function isWhole(nodes: readonly ClusterNode[]): Promise<boolean> {
  if (!nodes.every(({ isRunning }) => isRunning) || !(await isElected(nodes))) return false;
  const owners = new Set((await rangesOf(someRunning(nodes))).map(({ owner }) => owner));
  const replicas = nodes.filter(({ id }) => !owners.has(id));
  const states = await Promise.all(replicas.map(({ client }) => client.info("replication")));
  if (!states.every((text) => text.includes("master_link_status:up"))) return false;
  const primaries = nodes.filter(({ id }) => owners.has(id));
  const counts = await Promise.all(primaries.map(({ client }) => countAcknowledging(client)));
  return counts.reduce((sum, count) => sum + count, 0) === replicas.length;
}

/** How often a slot's new owner is announced until all nodes know it, in milliseconds. */
const announceMs = 1_000;

async function moveSlot(
  nodes: readonly ClusterNode[],
  slot: number,
  to: ClusterNode,
  keysAtOnce: number,
  password: string | undefined,
): Promise<void> {
  const from = await ownerOf(nodes, slot);
  if (from === to) return;
  await to.client.call("CLUSTER", "SETSLOT", slot, "IMPORTING", from.id);
  await from.client.call("CLUSTER", "SETSLOT", slot, "MIGRATING", to.id);
  const secret = password === undefined ? [] : ["AUTH", password];
  for (;;) {
    const keys = await from.client.call("CLUSTER", "GETKEYSINSLOT", slot, keysAtOnce);
    const names = keys as string[];
    if (names.length === 0) break;
    const target = ["127.0.0.1", to.server.port, "", 0, 5_000] as const;
    await from.client.call("MIGRATE", ...target, ...secret, "KEYS", ...names);
  }
  // The new owner first, so that the slot always has one.
  const running = nodes.filter((node) => node.isRunning && node !== to && node !== from);
  for (const { client } of [to, from]) await client.call("CLUSTER", "SETSLOT", slot, "NODE", to.id);
  let announcedAt = 0;
  const announce = async () => {
    announcedAt = performance.now();
    // Replicas refuse the command, and learn of the owner from the others.
    await Promise.allSettled(
      [to, ...running].map(({ client }) => client.call("CLUSTER", "SETSLOT", slot, "NODE", to.id)),
    );
    // Two primaries can have the same epoch for a while. Until one of them has a newer one, both can claim the slot.
    await to.client.call("CLUSTER", "BUMPEPOCH");
  };
  // An older message of the previous owner may still change what a node believes. Then it is told again.
  const isKnown = async () => {
    if (performance.now() > announcedAt + announceMs) await announce();
    const views = await Promise.all([to, from, ...running].map(rangesOf));
    const owned = views.map((ranges) => ranges.filter(({ owner }) => owner === to.id));
    // On a busy machine, nodes can have elected a replica of the new owner meanwhile.
    const isReplaced = owned.every((ranges) => ranges.length === 0);
    if (isReplaced) return true;
    const isOwner = ({ from, to }: SlotRange) => from <= slot && slot <= to;
    if (!owned.every((ranges) => ranges.some(isOwner))) return false;
    // Otherwise a later move could have the same epoch, and Redis would delete the keys of a slot that two nodes claim.
    const newest = await Promise.all([to, from, ...running].map((node) => isNewest(node, to.id)));
    return newest.every(Boolean);
  };
  await until("all nodes know the new owner of the slot", isKnown, busyMs);
}

/** Returns whether a primary has the newest epoch of configuration, as one node knows it. */
async function isNewest({ client }: ClusterNode, id: string): Promise<boolean> {
  const lines = String(await client.call("CLUSTER", "NODES")).split("\n");
  const primaries = lines
    .map((line) => line.split(" "))
    .filter(([, , flags]) => flags?.includes("master"));
  const [own] = primaries.filter(([each]) => each === id);
  return primaries.every((each) => each === own || Number(each[6]) < Number(own?.[6]));
}

/** Slots that move from primary to primary without a pause. */
export interface Mover {
  /** Number of moves so far. @throws Error if a move failed */
  readonly moves: number;
  /** Ends the movement after the current move. @throws Error if a move failed */
  stop(): Promise<void>;
}

/**
 * Moves slots round and round, one at a time, each to the primary after its owner.
 *
 * @param slots returns the slots of the next round
 */
export function moveSlots(cluster: RedisCluster, slots: () => Promise<readonly number[]>): Mover {
  const own = { moves: 0, stopping: false, failure: undefined as unknown };
  async function go(): Promise<void> {
    while (!own.stopping) {
      for (const slot of await slots()) {
        const primaries = await cluster.primaries();
        const owner = await cluster.ownerOf(slot);
        const next = primaries[(primaries.indexOf(owner) + 1) % primaries.length];
        await cluster.moveSlot(slot, next ?? owner);
        own.moves += 1;
      }
    }
  }
  const done = go();
  done.catch((error: unknown) => {
    own.failure = error;
  });
  return {
    get moves() {
      if (own.failure !== undefined) throw own.failure;
      return own.moves;
    },
    async stop() {
      own.stopping = true;
      await done;
    },
  };
}
