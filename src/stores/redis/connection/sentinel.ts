import { Redis, ReplyError } from "ioredis";
import { pairsOf } from "../pairs.ts";
import { currentCredentials } from "./credentials.ts";
import type { NodeFactory, RedisNode } from "./node.ts";
import { type NodeWatch, type Outages, watchNode } from "./outages.ts";
import { repeat, waitUntil } from "./repeat.ts";
import { addressText, parseAddress, type RedisAddress, type RedisSettings } from "./settings.ts";
import { onConnectionError } from "./socket-errors.ts";
import type { Topology } from "./topology.ts";

/** The pauses between requests to the sentinels, in milliseconds: usually, and while the primary cannot be used. */
const pauseMs = { usual: 500, outage: 100 } as const;

/** How long a sentinel may take to reply, in milliseconds. */
const replyMs = 500;

/** How long no sentinel replies before the sentinels count as lost, in milliseconds: a busy process can miss replies. */
const silentMs = 500;

/** How long the connection to a new primary may take, in milliseconds. */
const connectMs = 1_000;

/** The highest number of sentinels to ask. It bounds the effect of a wrong reply. */
const maxSentinels = 32;

/**
 * Addresses of the sentinels that connections with the same settings know. A connection that begins when all sentinels in
 * the settings have been replaced needs them, such as that of a watch.
 */
const knownSentinels = new WeakMap<RedisSettings, Set<string>>();

/** The name that the log gives to the sentinels, when none of them can be used. */
const allSentinels = "sentinels";

interface Opinion {
  readonly primary: RedisAddress;
  /** The number of the failover that chose the primary. The highest is the latest. */
  readonly epoch: number;
}

/**
 * Connects to the primary that the sentinels report, and to its successor after a failover. Asks all known sentinels
 * and follows the latest failover, because a sentinel that was cut off still reports the former primary. Sentinels also
 * report other sentinels, so all of them can be replaced one after another.
 *
 * See https://redis.io/docs/latest/develop/reference/sentinel-clients/
 */
export function followSentinels(
  settings: RedisSettings,
  createNode: NodeFactory,
  outages: Outages,
  onFailure: (error: unknown) => void,
): Topology {
  const name = settings.sentinelName ?? "";
  const sentinels = new Map<string, Redis>();
  const seeds = settings.addresses.map(addressText);
  const known = knownSentinels.getOrInsertComputed(settings, () => new Set(seeds));
  let primary: RedisNode | undefined;
  let failure: Error | undefined;
  /** Since when no sentinel replies, and why: undefined after a reply. */
  let silentSince: number | undefined;
  let sentinelFailure: Error | undefined;
  let isStopped = false;

  function add(address: string): void {
    if (known.size < maxSentinels) known.add(address);
    if (sentinels.has(address) || sentinels.size >= maxSentinels) return;
    const sentinel = new Redis({
      ...parseAddress(address),
      ...currentCredentials(settings, onFailure, settings.sentinelLogin),
      // The ready check of ioredis is for servers with data.
      enableReadyCheck: false,
      disableClientInfo: true,
      connectTimeout: replyMs,
      commandTimeout: replyMs,
      disconnectTimeout: 100,
      maxRetriesPerRequest: 0,
      retryStrategy() {
        // ioredis reads these options when it connects.
        Object.assign(
          sentinel.options,
          currentCredentials(settings, onFailure, settings.sentinelLogin),
        );
        return pauseMs.usual;
      },
    });
    onConnectionError(sentinel, (error) => {
      failure = sentinelFailure = causeOf(error, name);
    });
    sentinels.set(address, sentinel);
  }

  async function ask(sentinel: Redis): Promise<Opinion | undefined> {
    const [address, master, others] = await Promise.all([
      sentinel.call("SENTINEL", "GET-MASTER-ADDR-BY-NAME", name) as Promise<string[] | null>,
      sentinel.call("SENTINEL", "MASTER", name) as Promise<string[]>,
      sentinel.call("SENTINEL", "SENTINELS", name) as Promise<string[][]>,
    ]);
    for (const other of others) {
      const fields = new Map(pairsOf(other));
      if (!/disconnected|s_down/.test(fields.get("flags") ?? "")) {
        add(`${fields.get("ip")}:${fields.get("port")}`);
      }
    }
    const [host = "", port] = address ?? [];
    const epoch = Number(new Map(pairsOf(master)).get("config-epoch"));
    return host === "" ? undefined : { primary: { host, port: Number(port) }, epoch };
  }

  /** Asks all sentinels. @returns the primary of the latest failover; undefined when no sentinel knows one */
  async function askAll(): Promise<RedisAddress | undefined> {
    for (const address of known) add(address);
    const asked = [...sentinels];
    const opinions: Opinion[] = [];
    const silent: (typeof asked)[number][] = [];
    await Promise.all(
      asked.map(async ([address, sentinel]) => {
        try {
          const opinion = await ask(sentinel);
          if (opinion) opinions.push(opinion);
        } catch (error) {
          // Other errors are connection errors, which the listener has already recorded.
          const isReply = error instanceof ReplyError;
          const reason = causeOf(error as Error, name);
          if (isReply || !failure) failure = reason;
          if (isReply || !sentinelFailure) sentinelFailure = reason;
          silent.push([address, sentinel]);
        }
      }),
    );
    // If none replies, for example because this process is busy, all are kept: no sentinel is left to report the
    // others.
    if (silent.length < asked.length) {
      silentSince = sentinelFailure = undefined;
      outages.recovered(allSentinels);
      for (const [address, sentinel] of silent) forget(address, sentinel);
    } else {
      silentSince ??= performance.now();
      if (!isStopped && performance.now() - silentSince >= silentMs) {
        outages.lost(allSentinels, sentinelFailure?.message ?? "no reply");
      }
    }
    const [latest] = opinions.sort((a, b) => b.epoch - a.epoch);
    return latest?.primary;
  }

  /**
   * Asks the sentinels whether a server is the primary. A restarted former primary accepts commands, with old data or
   * no data, until the sentinels make it a replica.
   */
  async function isPrimary(address: string): Promise<boolean> {
    const found = await askAll();
    return found !== undefined && addressText(found) === address;
  }

  /** Forgets a sentinel that is not a seed and did not reply. The others report it when it is back. */
  function forget(address: string, sentinel: Redis): void {
    if (seeds.includes(address)) return;
    known.delete(address);
    if (sentinels.get(address) === sentinel) sentinels.delete(address);
    sentinel.disconnect();
  }

  async function follow(): Promise<void> {
    const found = await askAll();
    if (!found || isStopped || primary?.address === addressText(found)) return;
    const address = addressText(found);
    const isChosen = () => primary === candidate;
    const watch = watchPrimary(outages, name, isChosen);
    const candidate: RedisNode = createNode(found, watch, () => isPrimary(address));
    // Sentinels can still report a server that was just demoted. It does not become ready.
    if ((await candidate.ready(connectMs)) && !isStopped) {
      const former = primary;
      primary = candidate;
      void candidate.reportWritable();
      await former?.close();
    } else {
      failure = candidate.failure() ?? failure;
      candidate.disconnect();
    }
  }

  const following = repeat(
    async () => {
      await follow();
      if (!primary && failure) throw failure;
    },
    () => (primary?.isReady() ? pauseMs.usual : pauseMs.outage),
    onFailure,
  );

  return {
    slotOf: () => 0,
    nodeOf: () => primary,
    nodes: () => (primary ? [primary] : []),
    redirect: () => undefined,
    refresh: following.soon,
    ready: (timeoutMs) => waitUntil(() => primary?.isReady() ?? false, timeoutMs),
    failure: () => (primary ? primary.failure() : failure),
    stop() {
      isStopped = true;
      following.stop();
      for (const sentinel of sentinels.values()) sentinel.disconnect();
    },
  };
}

/** Watches a server as long as it is the primary. The primary has one name, whatever server it is. */
function watchPrimary(outages: Outages, name: string, isChosen: () => boolean): NodeWatch {
  const { lost, usable } = watchNode(outages, name);
  return {
    lost(reason) {
      if (isChosen()) lost(reason);
    },
    usable() {
      if (isChosen()) usable();
    },
  };
}

/** Returns an error that names the cause of a failed request to a sentinel. */
function causeOf(error: Error, name: string): Error {
  const { message } = error;
  if (/No such master/i.test(message)) return new Error(`no such primary: ${name}`);
  if (/NOAUTH|WRONGPASS/.test(message)) return new Error(`sentinel refuses the login: ${message}`);
  return error;
}
