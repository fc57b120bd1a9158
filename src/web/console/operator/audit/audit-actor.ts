import type { AuditEntry } from "../../../../../gen/admin/v1/admin_pb.ts";

/** Returns the actor of an entry: the user of a command, or the key of a call. Empty for counted refusals. */
export function auditActor({ operator, keyId }: AuditEntry): string {
  return operator || keyId;
}

/** Returns the name of a method without its service: `SetPlan`. A command is returned as it is. */
export function shortMethod(method: string): string {
  return method.slice(method.lastIndexOf("/") + 1);
}
