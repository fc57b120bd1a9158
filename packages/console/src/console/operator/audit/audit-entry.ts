import type { AuditEntry } from "../../../../../../gen/admin/v1/admin_pb.ts";

/** Returns the name of a method without its service: `SetPlan`. A command is returned as it is. */
export function shortMethod(method: string): string {
  return method.slice(method.lastIndexOf("/") + 1);
}

/** Leaves out the entries before changes whose results are in the list. */
export function oncePerChange(entries: readonly AuditEntry[]): AuditEntry[] {
  const ended = new Set(entries.map(({ beginSequence }) => beginSequence));
  return entries.filter(({ sequence }) => !ended.has(sequence));
}
