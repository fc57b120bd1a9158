import type { Redis } from "ioredis";
import { type Connection, othersMs } from "./connection/connection.ts";
import { fieldsOf, type Info, runIdIn } from "./connection/info.ts";
import { missingOf } from "./connection/permissions.ts";
import { newestChangeKey, stockRunKey } from "./keys.ts";

/** What is wrong with the settings of Redis. */
export interface Finding {
  /** `debug` if a setting could not be read. */
  readonly level: "warn" | "debug";
  readonly message: string;
}

/** Makes a function that reads the settings of all servers when it is called first, and reports each finding once. */
export function inspectOnce(
  connection: Connection,
  report: (finding: Finding) => void,
): () => void {
  let hasBegun = false;
  return () => {
    if (hasBegun) return;
    hasBegun = true;
    connection
      .ready(othersMs)
      .then(() => inspectServers(connection))
      .then((findings) => findings.forEach(report))
      // Other servers of the cluster are not available. The next connection begins again.
      .catch(() => {
        hasBegun = false;
      });
  };
}

/** Reads the settings of all servers, and the clock of the one with the stock. Returns each finding once, also errors. */
export async function inspectServers(connection: Connection): Promise<Finding[]> {
  const servers = connection.nodes().map(({ redis }) => inspect(redis));
  const findings = (await Promise.all([...servers, inspectClock(connection)])).flat();
  return [...new Map(findings.map((finding) => [finding.message, finding])).values()];
}

async function inspect(redis: Redis): Promise<Finding[]> {
  try {
    const info = fieldsOf(await redis.info());
    const persistence = await checkPersistence(redis, info);
    return [...faultsIn(info).map(warning), ...(persistence ? [persistence] : [])];
  } catch (error) {
    return [unreadable("INFO", error)];
  }
}

function faultsIn(info: Info): string[] {
  const version = info.get("redis_version") ?? "7";
  const isSupported = Number.parseInt(version, 10) >= 7;
  const policy = info.get("maxmemory_policy") ?? "noeviction";
  const faults: Readonly<Record<string, boolean>> = {
    [`Redis ${version} is too old: use Redis 7.0 or newer, or Valkey`]: !isSupported,
    [`Redis may delete data: its maxmemory-policy is ${policy}. Set it to noeviction`]:
      policy !== "noeviction",
    "Redis reports no run_id: after a failover, versions of items are unique only if the clocks of all servers agree. Run NTP on them":
      runIdIn(info) === "",
  };
  return Object.keys(faults).filter((fault) => faults[fault]);
}

/** How far the newest change may be ahead of the clock and the lead (see change.lua), in seconds. */
const toleratedSeconds = 5;

/** Warns if the clock is behind that of the server that made the newest change. The next change corrects the lead. */
async function inspectClock(connection: Connection): Promise<Finding[]> {
  try {
    const [newest, run, [seconds]] = await connection.run(newestChangeKey, async (redis) => [
      await redis.get(newestChangeKey),
      await redis.get(stockRunKey),
      await redis.time(),
    ]);
    // Without a lead, as in restored data, versions do not show the time.
    if (newest === null || run === null) return [];
    const micros = Number.parseInt(newest, 10) - Number(run.split(" ")[1]);
    const behind = Math.round(micros / 1e6 - Number(seconds));
    if (!(behind > toleratedSeconds)) return [];
    const text = `The clock of Redis is ${behind} s behind its newest change. Run NTP on all servers of Redis`;
    return [warning(text)];
  } catch (error) {
    return [unreadable("TIME", error)];
  }
}

async function checkPersistence(redis: Redis, info: Info): Promise<Finding | undefined> {
  if (info.get("aof_enabled") !== "0") return undefined;
  try {
    // The user of `inventory redis-acl` may not. The question is not in ACL LOG, as a refused command would be.
    if ((await missingOf(redis, ["config|get"], [])).length > 0) {
      return unreadable("CONFIG GET save", new Error("the user may not use it"));
    }
    const [, save] = (await redis.config("GET", "save")) as string[];
    if (save !== "") return undefined;
    return warning(
      "Redis loses all data when it restarts: it writes neither an append-only file nor snapshots. Set appendonly to yes",
    );
  } catch (error) {
    return unreadable("CONFIG GET save", error);
  }
}

function warning(message: string): Finding {
  return { level: "warn", message };
}

function unreadable(command: string, error: unknown): Finding {
  const reason = error instanceof Error ? error.message : String(error);
  return { level: "debug", message: `cannot check the settings of Redis: ${command}: ${reason}` };
}
