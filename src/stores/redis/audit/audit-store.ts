import type { CallContext } from "../../../common/call-context.ts";
import type { AuditEntry, AuditStore } from "../../audit-store.ts";
import type { Connection } from "../connection/connection.ts";
import { auditEntriesKey } from "../keys.ts";
import { type Clock, loadLateScript, loadScript } from "../scripts.ts";
import { batchByTick } from "../tick-batch.ts";

/** Most entries of one script call. */
const entriesAtOnce = 20;

interface WaitingEntry extends Pick<CallContext, "record"> {
  readonly body: string;
}

/** An entry of the stream: its id, then the fields `time` and `body` (see audit.lua). */
type StreamEntry = readonly [id: string, fields: readonly string[]];

/** Makes the audit trail in Redis. @param length the highest number of entries; no limit when undefined */
export function createRedisAuditStore(
  connection: Connection,
  now: Clock,
  length: number | undefined,
): AuditStore {
  const script = loadLateScript(connection, "append-audit", "record");
  const append = batchByTick(async (waiting: readonly WaitingEntry[]) => {
    const args = [now?.() ?? "", length ?? "", ...waiting.map(({ body }) => body)];
    const first = await script(auditEntriesKey, () => [[auditEntriesKey], args], waiting);
    return waiting.map((_, index) => Number(first) + index);
  }, entriesAtOnce);
  return {
    append: (body, context) => append({ body, record: context?.record }),
    read: createTrailReader(connection),
  };
}

/** Makes the function that reads the audit trail in Redis. */
export function createTrailReader(connection: Connection): AuditStore["read"] {
  const read = loadScript(connection, "read-audit");
  return async (first, limit, context) => {
    const reply = await read([auditEntriesKey], [first ?? "", limit], context);
    const [oldest, newest, entries] = reply as [number, number, StreamEntry[]];
    return { entries: entries.map(auditEntry), ends: { oldest, newest } };
  };
}

function auditEntry([id, fields]: StreamEntry): AuditEntry {
  const [, time, , body = ""] = fields;
  return { sequence: numberOf(id.replace(/-.*/, "")), time: numberOf(time), body };
}

/** Parses a number. Others than those of audit.lua were changed by somebody: 0, or the largest one. */
function numberOf(text: string | undefined): number {
  if (!/^\d+$/.test(text ?? "")) return 0;
  return Math.min(Number(text), Number.MAX_SAFE_INTEGER);
}
