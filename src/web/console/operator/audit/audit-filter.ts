import type { MessageInitShape } from "@bufbuild/protobuf";
import { type Timestamp, timestampFromMs } from "@bufbuild/protobuf/wkt";
import type { ListAuditEntriesRequestSchema } from "../../../../../gen/admin/v1/admin_pb.ts";
import { utcDay } from "../../text/utc-day.ts";

/** The filter of the audit view as it was typed. Times are in UTC. */
export interface AuditFilterText {
  readonly actor: string;
  readonly method: string;
  readonly from: string;
  readonly to: string;
}

export type AuditFilter = MessageInitShape<typeof ListAuditEntriesRequestSchema>;

/** A field of the request with a wrong value. */
interface Fault {
  readonly field: string;
  readonly fault: string;
}

/** Returns the request of a filter, or what is wrong with it. */
export function auditFilter(text: AuditFilterText): { readonly request: AuditFilter } | Fault {
  const startTime = utcTime(text.from);
  const endTime = utcTime(text.to);
  const fault = "must be a day and time, such as 2026-11-22 10:00";
  if (startTime === "invalid") return { field: "start_time", fault };
  if (endTime === "invalid") return { field: "end_time", fault };
  if (startTime && endTime && startTime.seconds >= endTime.seconds) {
    return { field: "end_time", fault: "must be later than From" };
  }
  return {
    request: {
      actor: text.actor,
      method: text.method,
      ...(startTime && { startTime }),
      ...(endTime && { endTime }),
    },
  };
}

const timeForm = /^(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d(?::\d\d)?))?$/;

/** Reads a day such as `2026-11-22`, or a day and a time such as `2026-11-22 20:15`, as UTC. */
function utcTime(text: string): Timestamp | "invalid" | undefined {
  if (text === "") {
    return undefined;
  }
  const [, day = "", time = "00:00"] = timeForm.exec(text) ?? [];
  if (utcDay(day) === undefined) return "invalid";
  const ms = Date.parse(`${day}T${time}Z`);
  return Number.isNaN(ms) ? "invalid" : timestampFromMs(ms);
}
