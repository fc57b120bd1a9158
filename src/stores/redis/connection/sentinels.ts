import { Redis, ReplyError } from "ioredis";
import { pairsOf } from "../pairs.ts";
import { currentCredentials } from "./credentials.ts";
import type { Outages } from "./outages.ts";
import { addressText, parseAddress, type RedisAddress, type RedisSettings } from "./settings.ts";
import { onConnectionError } from "./socket-errors.ts";

/** The pauses between requests to the sentinels, in milliseconds: usually, and while the primary cannot be used. */
export const pauseMs = { usual: 500, outage: 100 } as const;

/** How long a sentinel may take to reply, in milliseconds. */
const replyMs = 500;

/** How long no sentinel replies before the sentinels count as lost, in milliseconds: a busy process can miss replies. */
const silentMs = 500;

/** The highest number of sentinels to ask. It bounds the effect of a wrong reply. */
const maxSentinels = 32;

/** Addresses of sentinels that connections with the same settings know. Later ones, as of a watch, begin with them. */
const knownSentinels = new WeakMap<RedisSettings, Set<string>>();

/** The name that the log gives to the sentinels, when none of them can be used. */
const allSentinels = "sentinels";

interface Opinion {
  readonly primary: RedisAddress;
  /** The number of the failover that chose the primary. The highest is the latest. */
  readonly epoch: number;
}

/** Why there is no primary: the last error of a sentinel or server. */
export interface Fault {
  last: Error | undefined;
}

/** Connects to the sentinels when they are asked first. @param fault gets the errors of sentinels */
export function connectSentinels(
  settings: RedisSettings,
  fault: Fault,
  outages: Outages,
  onFailure: (error: unknown) => void,
) {
  const name = settings.sentinelName ?? "";
  const sentinels = new Map<string, Redis>();
  const seeds = settings.addresses.map(addressText);
  const known = knownSentinels.getOrInsertComputed(settings, () => new Set(seeds));
  /** Since when no sentinel replies, and why: undefined after a reply. */
  let silentSince: number | undefined;
  let failure: Error | undefined;
  let isStopped = false;

  const credentials = () => currentCredentials(settings, onFailure, settings.sentinelLogin);

  function add(address: string): void {
    if (known.size < maxSentinels) known.add(address);
    if (sentinels.has(address) || sentinels.size >= maxSentinels) return;
    const sentinel = new Redis({
      ...parseAddress(address),
      ...credentials(),
      // The ready check of ioredis is for servers with data.
      enableReadyCheck: false,
      disableClientInfo: true,
      connectTimeout: replyMs,
      commandTimeout: replyMs,
      disconnectTimeout: 100,
      maxRetriesPerRequest: 0,
      retryStrategy() {
        // ioredis reads these options when it connects.
        Object.assign(sentinel.options, credentials());
        return pauseMs.usual;
      },
    });
    onConnectionError(sentinel, (error) => {
      fault.last = failure = causeOf(error, name);
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

  /** Forgets a sentinel that is not a seed and did not reply. The others report it when it is back. */
  function forget(address: string, sentinel: Redis): void {
    if (seeds.includes(address)) return;
    known.delete(address);
    if (sentinels.get(address) === sentinel) sentinels.delete(address);
    sentinel.disconnect();
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
          if (isReply || !fault.last) fault.last = reason;
          if (isReply || !failure) failure = reason;
          silent.push([address, sentinel]);
        }
      }),
    );
    // If none replies, for example because this process is busy, all are kept: no sentinel is left to report the
    // others.
    if (silent.length < asked.length) {
      silentSince = failure = undefined;
      outages.recovered(allSentinels);
      for (const [address, sentinel] of silent) forget(address, sentinel);
    } else {
      silentSince ??= performance.now();
      if (!isStopped && performance.now() - silentSince >= silentMs) {
        outages.lost(allSentinels, failure?.message ?? "no reply");
      }
    }
    const [latest] = opinions.sort((a, b) => b.epoch - a.epoch);
    return latest?.primary;
  }

  return {
    askAll,
    stop(): void {
      isStopped = true;
      for (const sentinel of sentinels.values()) sentinel.disconnect();
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
