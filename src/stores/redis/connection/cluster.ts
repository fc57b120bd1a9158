import calculateSlot from "cluster-key-slot";
import { memoize } from "connect-gateway/call";
import type { NodeFactory, RedisNode } from "./node.ts";
import { type Outages, watchNode } from "./outages.ts";
import { repeat, waitUntil } from "./repeat.ts";
import { startReplyDeadline } from "./reply-deadline.ts";
import { addressText, parseAddress, type RedisSettings } from "./settings.ts";
import type { Topology } from "./topology.ts";

/** Returns the slot of a hash tag. All keys of the service have a hash tag, and few different ones are in use. */
const slotOfTag = memoize(calculateSlot, 1_000);

const slotCount = 16_384;

/** The pauses between reads of the slots, in milliseconds: usually, and while some slots cannot be used. */
const pauseMs = { usual: 5_000, outage: 200 } as const;

/** The highest number of ranges of slots in an error. */
const maxRanges = 10;

/** Matches errors of connections that the network or a stopped server causes, not the settings. */
const unreachable = /^connect |ETIMEDOUT|ECONNRE|Socket timeout/;

/** How long a node may take to return the slots, in milliseconds. */
const replyMs = 1_000;

/** The reply of CLUSTER SLOTS: ranges of slots with their primary, then its replicas. */
type SlotRanges = readonly (readonly [
  first: number,
  last: number,
  ...servers: (readonly [host: string | null, port: number])[],
])[];

/** The server of each slot; undefined while it is not known. */
type Slots = readonly (RedisNode | undefined)[];

/** Ranges of slots, and the node that has reported them. */
type Report = readonly [SlotRanges, RedisNode];

/**
 * Connects to the primaries of a Redis Cluster. Reads the ranges of slots repeatedly, from any node, and follows
 * redirections in between. See https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec/
 */
export function useCluster(
  { addresses }: RedisSettings,
  createNode: NodeFactory,
  outages: Outages,
  onFailure: (error: unknown) => void,
): Topology {
  const nodes = new Map<string, RedisNode>();
  const slots = new Array<RedisNode | undefined>(slotCount).fill(undefined);
  /** The addresses of the settings, and of all servers in the last reply. */
  let known: readonly string[] = addresses.map(addressText);
  /** Former servers whose successors do not accept writes yet. */
  const replaced = new Set<string>();
  let failure: Error | undefined;
  let isStopped = false;

  function nodeAt(address: string): RedisNode {
    const existing = nodes.get(address);
    if (existing) return existing;
    // Not every known server has slots, and those that have none do not matter.
    let wasUsable = false;
    const { lost, usable } = watchNode(outages, address, () => wasUsable);
    const node = createNode(parseAddress(address), {
      lost,
      usable() {
        wasUsable = true;
        usable();
        reportReplaced();
      },
    });
    nodes.set(address, node);
    return node;
  }

  /** Takes over the ranges that a node has reported. */
  function assign(ranges: SlotRanges, { address: reporter }: RedisNode): void {
    slots.fill(undefined);
    for (const [first, last, primary] of ranges) {
      if (primary) slots.fill(nodeAt(serverAddress(primary, reporter)), first, last + 1);
    }
    const servers = ranges.flatMap(([, , ...all]) => all);
    const reported = servers.map((server) => serverAddress(server, reporter));
    known = [...new Set([...addresses.map(addressText), ...reported])];
    closeUnused(reporter);
    failure = faultOfSlots(slots, (node) => node === undefined);
  }

  /** Closes the connections to servers that have no slots. */
  function closeUnused(reporter: string): void {
    const used = new Set(slots);
    for (const [address, node] of nodes) {
      if (used.has(node)) continue;
      nodes.delete(address);
      replaced.add(address);
      // The reporter has just replied, so its pending commands get replies too.
      if (address === reporter || node.isReady()) node.close();
      else node.disconnect();
    }
    reportReplaced();
  }

  /** Reports former servers as recovered as soon as all servers that have slots accept writes. */
  function reportReplaced(): void {
    if (!slots.every((node) => node?.isWritable())) return;
    for (const address of replaced) outages.recovered(address);
    replaced.clear();
  }

  /** Reads the slots from a node. @throws Error also when the node has left the cluster, so that it knows no slots */
  async function slotsFrom(address: string): Promise<Report> {
    const node = nodeAt(address);
    if (!(await node.ready(replyMs))) throw node.failure() ?? new Error("no connection");
    const reply = node.redis.call("CLUSTER", "SLOTS") as Promise<SlotRanges>;
    const ranges = await startReplyDeadline(replyMs).limit(reply);
    if (ranges.length === 0) throw new Error(`${slotCount} of ${slotCount} slots have no primary`);
    return [ranges, node];
  }

  /** Asks a node that is connected; if that fails, all others at once. */
  async function read(): Promise<void> {
    // A random node each time, because the slots that one node knows can be outdated.
    const ready = [...nodes.values()].filter((node) => node.isReady());
    const first = ready[Math.floor(Math.random() * ready.length)]?.address;
    try {
      const report =
        first === undefined ? readFromOthers() : slotsFrom(first).catch(readFromOthers);
      const [ranges, node] = await report;
      if (!isStopped) assign(ranges, node);
    } catch (error) {
      const [reason] = error instanceof AggregateError ? error.errors : [error];
      failure = reason as Error;
      if (!isStopped) throw failure;
    }
  }

  /** Returns the first report. After the stop, it asks no node, because nothing would close the new connections. */
  async function readFromOthers(): Promise<Report> {
    return Promise.any(isStopped ? [] : known.map(slotsFrom));
  }

  /** @returns whether all slots have a node that accepts commands. Some refuse them for a while after an election */
  async function isServing(): Promise<boolean> {
    if (!isWhole()) return false;
    const states = [...new Set(slots)].map(async (node) => {
      const info = await node?.redis.call("CLUSTER", "INFO").catch(() => undefined);
      return String(info).includes("cluster_state:ok");
    });
    const isOk = (await Promise.all(states)).every(Boolean);
    if (!isOk) failure = new Error("CLUSTERDOWN: the state of a node is not ok");
    return isOk;
  }

  const isWhole = () => slots.every((node) => node?.isReady());
  const reading = repeat(read, () => (isWhole() ? pauseMs.usual : pauseMs.outage), onFailure);

  return {
    slotOf: (key) => slotOfTag(key.slice(key.indexOf("{") + 1, key.indexOf("}"))),
    nodeOf: (slot) => slots[slot],
    nodes: () => [...new Set(slots)].filter((node) => node !== undefined),
    redirect(slot, address, from) {
      const { host, port } = parseAddress(address);
      const node = nodeAt(serverAddress([host, port], from.address));
      if (slot !== undefined) {
        slots[slot] = node;
        reading.soon();
      }
      return node;
    },
    refresh: reading.soon,
    async ready(timeoutMs) {
      if (!(await waitUntil(isServing, timeoutMs))) return false;
      failure = undefined;
      return true;
    },
    failure: () => failure ?? faultOfNodes(slots, nodes.values()),
    stop() {
      isStopped = true;
      reading.stop();
      const used = new Set(slots);
      for (const node of nodes.values()) if (!used.has(node)) node.disconnect();
    },
  };
}

/** @returns an error that names the slots whose node matches; undefined if there are none */
function faultOfSlots(
  slots: Slots,
  isLost: (node: RedisNode | undefined) => boolean,
): Error | undefined {
  const lost = [...slots.keys()].filter((slot) => isLost(slots[slot]));
  if (lost.length === 0) return undefined;
  return new Error(`${lost.length} of ${slotCount} slots have no primary (${rangesText(lost)})`);
}

/** Returns why nodes cannot be used. If others can, it names the slots of those that cannot be reached. */
function faultOfNodes(slots: Slots, nodes: Iterable<RedisNode>): Error | undefined {
  const node = [...nodes].find((each) => each.failure());
  const error = node?.failure();
  if (!node || !error || !unreachable.test(error.message)) return error;
  const isSplit = slots.some((each) => each?.isReady());
  const fault = isSplit ? faultOfSlots(slots, (each) => !each?.isReady()) : undefined;
  return fault ? new Error(`${fault.message}: ${node.address}: ${error.message}`) : error;
}

/** Returns ranges of slots as text: `0, 5-10`. @param slots in order */
function rangesText(slots: readonly number[]): string {
  const ranges: [first: number, last: number][] = [];
  for (const slot of slots) {
    const range = ranges.at(-1);
    if (range?.[1] === slot - 1) range[1] = slot;
    else ranges.push([slot, slot]);
  }
  const texts = ranges.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`));
  const more = texts.length > maxRanges ? ", …" : "";
  return texts.slice(0, maxRanges).join(", ") + more;
}

/** Returns the address of a server. A server that does not know its own host reports none; then it is the reporter. */
function serverAddress([host, port]: readonly [string | null, number], reporter: string): string {
  return `${host || parseAddress(reporter).host}:${port}`;
}
