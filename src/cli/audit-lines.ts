import type { LinkedEntry } from "../audit/audit-store.ts";
import type { LineKind, RecordLine } from "./line-files.ts";

/**
 * A line of a file with the audit trail: `{"sequence":…,"time":…,"previous":"…","hash":"…","entry":{…}}`. The hash
 * covers the bytes of `entry`, so they are as in the trail.
 */
const form =
  /^\{"sequence":(\d{1,16}),"time":(\d{1,16}),"previous":"([0-9a-f]{64})","hash":"([0-9a-f]{64})","entry":(\{.*\})\}$/s;

/** Returns the line of an entry. */
export function auditLine({ sequence, time, previous, hash, body }: LinkedEntry): RecordLine {
  return {
    from: BigInt(sequence),
    to: BigInt(sequence),
    at: time,
    text: `{"sequence":${sequence},"time":${time},"previous":${JSON.stringify(previous)},"hash":${JSON.stringify(hash)},"entry":${body}}`,
  };
}

/** Parses a line. @returns undefined if it has another form */
export function parseAuditLine(text: string): LinkedEntry | undefined {
  const [, sequence, time, previous = "", hash = "", body = ""] = form.exec(text) ?? [];
  if (sequence === undefined) return undefined;
  return { sequence: Number(sequence), time: Number(time), previous, hash, body };
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
