import { setTimeout as delay } from "node:timers/promises";
import type { HoldStore } from "../hold-store.ts";
import type { ServerStatus, StoresStatus } from "../stores.ts";
import type { Connection } from "./connection/connection.ts";
import type { RedisNode } from "./connection/node.ts";
import { fieldsOf, type Info } from "./info.ts";
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

async function readServer({ address, redis }: RedisNode): Promise<ServerStatus> {
  const askedAt = performance.now();
  const reply = redis.info("memory", "replication", "persistence").catch(() => undefined);
  const text = await Promise.race([reply, delay(replyMs, undefined, { ref: false })]);
  if (text === undefined) return { address, latencyMs: undefined };
  const latencyMs = performance.now() - askedAt;
  const info = fieldsOf(text);
  return {
    address,
    latencyMs,
    memoryUsed: numberOf(info, "used_memory"),
    memoryMax: numberOf(info, "maxmemory"),
    replicas: numberOf(info, "connected_slaves"),
    replicaLagSeconds: replicaLag(info),
    isSaved:
      info.get("rdb_last_bgsave_status") !== "err" && info.get("aof_last_write_status") !== "err",
  };
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
