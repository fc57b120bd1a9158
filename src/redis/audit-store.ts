import { type AuditEntry, type AuditStore, linked, type TrailPage } from "../audit/audit-store.ts";
import { bodyHash } from "../audit/chain.ts";
import type { Connection } from "./connection/connection.ts";
import { auditEndsKey, auditEntriesKey } from "./keys.ts";
import { loadScript, loadWriteScript } from "./scripts.ts";
import { batchByTick } from "./tick-batch.ts";

/** The keys of the scripts on the audit trail. */
const auditKeys = [auditEndsKey, auditEntriesKey] as const;

/** Most entries of one script call, which takes Redis about 0.4 ms for each. */
const entriesAtOnce = 4;

/** An entry of the stream: its id, then the fields `time`, `body` and `hash` (see audit.lua). */
type StreamEntry = readonly [id: string, fields: readonly string[]];

/**
 * Makes the audit trail in Redis.
 *
 * @param now the clock in milliseconds since the epoch; the clock of Redis when undefined
 * @param length the highest number of entries; no limit when undefined
 */
export function createRedisAuditStore(
  connection: Connection,
  now: (() => number) | undefined,
  length: number | undefined,
): AuditStore {
  // Without the deadline of a call: the result of a change is recorded even if the client does not wait any more.
  const script = loadWriteScript(connection, "clock", "sha256", "audit", "append-audit");
  const append = batchByTick(async (bodies: readonly string[]) => {
    const entries = bodies.flatMap((body) => [body, bodyHash(body)]);
    const args = [now?.() ?? "", length ?? "", ...entries];
    const first = (await script(auditKeys, args)) as number;
    return bodies.map((_, index) => first + index);
  }, entriesAtOnce);
  return { append, read: createTrailReader(connection) };
}

/** Makes the function that reads the audit trail in Redis. */
function createTrailReader(connection: Connection): AuditStore["read"] {
  const read = loadScript(connection, "audit", "read-audit");
  return async (begin, limit) => {
    const reply = await read(auditKeys, [begin ?? "", limit]);
    return trailPage(reply as readonly [number, string, number, string, number, StreamEntry[]]);
  };
}

function trailPage([newest, hash, oldest, anchor, first, found]: readonly [
  number,
  string,
  number,
  string,
  number,
  readonly StreamEntry[],
]): TrailPage {
  const entries = found.map(auditEntry);
  const before = entries.findLast(({ sequence }) => sequence < first)?.hash ?? anchor;
  return {
    entries: linked(
      entries.filter(({ sequence }) => sequence >= first),
      before,
    ),
    ends: { oldest, anchor, newest, hash },
  };
}

function auditEntry([id, fields]: StreamEntry): AuditEntry {
  const [, time, , body = "", , hash = ""] = fields;
  return { sequence: Number.parseInt(id, 10), time: Number(time), body, hash };
}
