import type { MessageInitShape } from "@bufbuild/protobuf";
import { type Timestamp, timestampFromMs } from "@bufbuild/protobuf/wkt";
import {
  AuditEntryKind,
  type ListAuditEntriesRequestSchema,
} from "../../../../../../gen/admin/v1/admin_pb.ts";
import { FieldError, type FormValues } from "../../shared/form-values.ts";

export type AuditFilter = MessageInitShape<typeof ListAuditEntriesRequestSchema>;

/** The kinds of entries that a change has. */
export const changes: readonly AuditEntryKind[] = [AuditEntryKind.BEGIN, AuditEntryKind.END];

/** Reads the filter of the audit view. Its times are those of the reader's zone. @throws FieldError */
export function auditFilter(values: Pick<FormValues, "text" | "all">): AuditFilter {
  const startTime = localTime(values.text("start_time"));
  const endTime = localTime(values.text("end_time"));
  if (startTime && endTime && startTime.seconds >= endTime.seconds) {
    throw new FieldError("end_time", "must be later than From");
  }
  return {
    actor: values.text("actor"),
    method: values.text("method"),
    kind: values.all("kind").length > 0 ? [] : [...changes],
    ...(startTime && { startTime }),
    ...(endTime && { endTime }),
  };
}

/** Reads the value of an input of the type `datetime-local`. */
function localTime(text: string): Timestamp | undefined {
  return text === "" ? undefined : timestampFromMs(new Date(text).getTime());
}
