import { setTimeout as delay } from "node:timers/promises";
import type { HoldStore } from "../hold-store.ts";
import type { ServerStatus, StoresStatus } from "../stores.ts";
import type { Connection } from "./connection/connection.ts";
import { fieldsOf, type Info } from "./connection/info.ts";
import type { RedisNode } from "./connection/node.ts";
import { stockKeys } from "./keys.ts";
import { loadScript } from "./scripts.ts";

/** How long a server may take to reply, in milliseconds. */
const replyMs = 500;

/** Makes the function that reads the state of all servers, of the history and of the holds. */
export function createStatusReader(
  connection: Connection,
  readHolds: HoldStore["totals"],
): () => Promise<StoresStatus> {
  const historySize = loadScript(connection, "history-size");

  async function readHistory(): Promise<StoresStatus["history"]> {
    const [changes, oldestAt] = (await historySize(stockKeys, [])) as [number, string];
    return { changes, oldestAt: oldestAt === "" ? undefined : Number(oldestAt) };
  }

  return async () => {
    const [servers, history, holds] = await Promise.all([
      Promise.all(connection.nodes().map(readServer)),
      // The state of the servers says why.
      readHistory().catch(() => undefined),
      readHolds().catch(() => undefined),
    ]);
    return { servers, history, holds };
  };
}

/** Redis runs this script only if it accepts writes, or is full: the service goes on with a full Redis. */
export const writeProbe = "#!lua flags=allow-oom\nreturn 1";

async function readServer(node: RedisNode): Promise<ServerStatus> {
  const { address, redis } = node;
  const askedAt = performance.now();
  const replies = Promise.all([
    redis.info("memory", "replication", "persistence"),
    refusalOf(node),
  ]).catch(() => undefined);
  const [text, refusal] =
    (await Promise.race([replies, delay(replyMs, undefined, { ref: false })])) ?? [];
  if (text === undefined) return { address, latencyMs: undefined };
  const latencyMs = performance.now() - askedAt;
  const info = fieldsOf(text);
  return {
    address,
    latencyMs,
    refusal,
    memoryUsed: numberOf(info, "used_memory"),
    memoryMax: numberOf(info, "maxmemory"),
    replicas: numberOf(info, "connected_slaves"),
    replicaLagSeconds: replicaLag(info),
    isSaved:
      info.get("rdb_last_bgsave_status") !== "err" && info.get("aof_last_write_status") !== "err",
  };
}

/** @returns why a server does not accept the service's commands; undefined if it does */
async function refusalOf(node: RedisNode): Promise<string | undefined> {
  try {
    await node.redis.eval(writeProbe, 0);
    // The user may lack permissions for other commands.
    if (node.isReady()) return undefined;
    throw node.failure();
  } catch (error) {
    const [word = ""] = error instanceof Error ? error.message.split(" ", 1) : [];
    return /^[A-Z]+$/.test(word) ? word : "NOT_READY";
  }
}

function numberOf(info: Info, name: string): number {
  return Number(info.get(name) ?? 0);
}

/** The longest lag of the replicas: `slave0:ip=…,port=…,state=online,offset=…,lag=1`. */
function replicaLag(info: Info): number {
  const lags = [...info]
    .filter(([name]) => /^slave\d+$/.test(name))
    .map(([, fields]) => Number(/\blag=(\d+)/.exec(fields)?.[1] ?? 0));
  return lags.reduce((most, lag) => Math.max(most, lag), 0);
}
