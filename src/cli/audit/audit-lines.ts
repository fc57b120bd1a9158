import { timestampMs } from "@bufbuild/protobuf/wkt";
import { escapeHidden } from "connect-gateway/call";
import type { AuditEntry } from "../../../gen/admin/v1/admin_pb.ts";
import type { AuditEntry as StoredEntry } from "../../stores/audit-store.ts";
import { required } from "../session/session.ts";

export function storedEntry({ sequence, time, body }: AuditEntry): StoredEntry {
  return { sequence: Number(sequence), time: timestampMs(required(time)), body };
}

/**
 * Returns the line of an entry: `{"sequence":…,"time":…,"entry":{…}}`. A body that is not a JSON object on one line, or has
 * characters that cannot be seen, is a JSON string there, so that it cannot add lines or members.
 */
export function entryLine({ sequence, time, body }: StoredEntry): string {
  const isPlain = isOneObject(body) && escapeHidden(body) === body;
  const entry = isPlain ? body : escapeHidden(JSON.stringify(body));
  return `{"sequence":${sequence},"time":${time},"entry":${entry}}`;
}

/** Whether a text is a JSON object on one line, without white space around it. */
function isOneObject(text: string): boolean {
  try {
    return /^\{[^\r\n]*\}$/.test(text) && JSON.parse(text) !== undefined;
  } catch {
    return false;
  }
}
