import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { AdminService, AuditEntry } from "../../../gen/admin/v1/admin_pb.ts";
import type { LocalClient } from "../../call/local-client.ts";
import { escapeHidden } from "../../call/quote.ts";
import type { LinkedEntry, TrailPage } from "../../stores/audit-store.ts";
import type { LineKind, RecordLine } from "../follow/line-files.ts";
import { required } from "../session/session.ts";

/** Offers the audit trail. */
export type TrailService = Pick<LocalClient<typeof AdminService>, "listAuditEntries">;

/** Reads the entries after a sequence number, oldest first, and where the trail begins and ends. */
export async function readAfter(
  service: TrailService,
  sequence: bigint,
  pageSize: number,
): Promise<TrailPage> {
  const { entries, trail } = await service.listAuditEntries({ afterSequence: sequence, pageSize });
  const { oldestSequence, anchorHash, newestSequence, newestHash } = required(trail);
  return {
    entries: entries.map(linkedEntry),
    ends: {
      oldest: Number(oldestSequence),
      anchor: anchorHash,
      newest: Number(newestSequence),
      hash: newestHash,
    },
  };
}

/** Returns the stored parts of an entry. */
export function linkedEntry({ sequence, time, body, previousHash, hash }: AuditEntry): LinkedEntry {
  const at = timestampMs(required(time));
  return { sequence: Number(sequence), time: at, body, previous: previousHash, hash };
}

/**
 * A line of a file with the audit trail: `{"sequence":…,"time":…,"previous":"…","hash":"…","entry":{…}}`. The hash
 * covers the bytes of `entry`, so they are as in the trail. The service writes only JSON objects on one line. If somebody
 * has put another text into Redis, or if the entry has characters that cannot be seen, the line has it as a JSON string. So
 * the text cannot add lines or members, and all characters are escaped.
 */
const form =
  /^\{"sequence":(\d{1,16}),"time":(\d{1,16}),"previous":"([0-9a-f]{64})","hash":"([0-9a-f]{64})","entry":(\{.*\}|".*")\}$/s;

/** Returns the line of an entry. */
export function auditLine({ sequence, time, previous, hash, body }: LinkedEntry): RecordLine {
  return {
    from: BigInt(sequence),
    to: BigInt(sequence),
    at: time,
    text: `{"sequence":${sequence},"time":${time},"previous":${JSON.stringify(previous)},"hash":${JSON.stringify(hash)},"entry":${isOneObject(body) && escapeHidden(body) === body ? body : escapeHidden(JSON.stringify(body))}}`,
  };
}

/** Parses a line. @returns undefined if it has another form */
export function parseAuditLine(text: string): LinkedEntry | undefined {
  const [, sequence, time, previous = "", hash = "", entry = ""] = form.exec(text) ?? [];
  const body = entry.startsWith('"') ? parseJson(entry) : entry;
  if (sequence === undefined || typeof body !== "string") return undefined;
  return { sequence: Number(sequence), time: Number(time), previous, hash, body };
}

/** Whether a text is a JSON object on one line, without white space around it. */
function isOneObject(text: string): boolean {
  return /^\{[^\r\n]*\}$/.test(text) && parseJson(text) !== undefined;
}

/** Parses JSON. @returns undefined if the text is not JSON */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The files of `audit follow`. */
export const auditLines: LineKind = {
  prefix: "audit",
  numberOf(text) {
    const entry = parseAuditLine(text);
    return entry && BigInt(entry.sequence);
  },
  timeOf: (text) => parseAuditLine(text)?.time ?? Number.NaN,
};
