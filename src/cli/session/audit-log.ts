import type { LogEntry } from "../../audit/audit-log.ts";
import type { Environment } from "../environment.ts";
import { print } from "../output/terminal.ts";

/** Returns a function that logs the entries that a command adds to the audit trail, as the service logs its own. */
export function auditLogOf({ auditLog }: Environment): LogEntry {
  if (!auditLog) return () => {};
  return (entry) => {
    const line = { level: 30, time: new Date().toISOString(), ...entry, msg: "audit entry" };
    print(auditLog, `${JSON.stringify(line)}\n`);
  };
}
