import { bodyHash } from "../../../audit/chain.ts";
import type { CallContext } from "../../../call/context.ts";
import { type AuditEntry, type AuditStore, linked } from "../../audit-store.ts";
import type { Connection } from "../connection/connection.ts";
import { auditEndsKey, auditEntriesKey } from "../keys.ts";
import { type Clock, loadRecordScript, loadScript } from "../scripts.ts";
import { batchByTick } from "../tick-batch.ts";

/** The keys of the scripts on the audit trail. */
const auditKeys = [auditEndsKey, auditEntriesKey] as const;

/** Most entries of one script call, which takes Redis about 0.4 ms for each. */
const entriesAtOnce = 4;

/** An entry that waits to be appended. */
interface WaitingEntry extends Pick<CallContext, "record"> {
  readonly body: string;
}

/** An entry of the stream: its id, then the fields `time`, `body` and `hash` (see audit.lua). */
type StreamEntry = readonly [id: string, fields: readonly string[]];

/** Makes the audit trail in Redis. @param length the highest number of entries; no limit when undefined */
export function createRedisAuditStore(
  connection: Connection,
  now: Clock,
  length: number | undefined,
): AuditStore {
  const script = loadRecordScript(connection, "append-audit");
  const append = batchByTick(async (waiting: readonly WaitingEntry[]) => {
    const bodies = waiting.flatMap(({ body }) => [body, bodyHash(body)]);
    const args = [now?.() ?? "", length ?? "", ...bodies];
    const first = (await script(auditEndsKey, () => [auditKeys, args], waiting)) as number;
    return waiting.map((_, index) => first + index);
  }, entriesAtOnce);
  return {
    append: (body, context) => append({ body, record: context?.record }),
    read: createTrailReader(connection),
  };
}

/** Makes the function that reads the audit trail in Redis. */
export function createTrailReader(connection: Connection): AuditStore["read"] {
  const read = loadScript(connection, "read-audit");
  return async (begin, limit, context) => {
    const reply = await read(auditKeys, [begin ?? "", limit], context);
    const [newest, hash, oldest, anchor, first, found] = reply as TrailReply;
    const entries = found.map(auditEntry);
    const before = entries.findLast(({ sequence }) => sequence < first)?.hash ?? anchor;
    return {
      entries: linked(entries.filter(({ sequence }) => sequence >= first).slice(0, limit), before),
      ends: { oldest, anchor, newest, hash },
    };
  };
}

/** The reply of read-audit.lua. */
type TrailReply = [
  ...[newest: number, hash: string, oldest: number, anchor: string],
  ...[first: number, found: StreamEntry[]],
];

function auditEntry([id, fields]: StreamEntry): AuditEntry {
  const [, time, , body = "", , hash = ""] = fields;
  return { sequence: numberOf(id.replace(/-.*/, "")), time: numberOf(time), body, hash };
}

/** Parses a number. Others than those of append-audit.lua were changed by somebody: 0, or the largest one. */
function numberOf(text: string | undefined): number {
  if (!/^\d+$/.test(text ?? "")) return 0;
  return Math.min(Number(text), Number.MAX_SAFE_INTEGER);
}
