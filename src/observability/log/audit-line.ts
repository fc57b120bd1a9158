import { type FieldsOf, lineKinds } from "./lines.ts";
import { type Log, lineWriter } from "./log.ts";

/** Returns a function that logs entries of the audit trail: all of them, whatever the level and the limits of the log are. */
export function auditLine(log: Log): (fields: FieldsOf<"audit">) => void {
  const { level, message } = lineKinds.audit;
  return lineWriter(log, level, message);
}
