import { randomUUID } from "node:crypto";
import { createTrail, recordChange } from "../../audit/audit-log.ts";
import type { Values } from "../../audit/body.ts";
import { thisOperator } from "../../audit/this-operator.ts";
import { createRedisAuditStore } from "../../stores/redis/audit/audit-store.ts";
import type { Connection } from "../../stores/redis/connection/connection.ts";
import type { Environment } from "../environment.ts";
import { auditLogOf } from "../session/session.ts";

interface Recorded<T> {
  /** Such as `inventory restore`. */
  readonly command: string;
  readonly details: Values;
  readonly work: () => Promise<T>;
  /** Returns what the result adds to the trail. */
  readonly returnedBy?: (value: T) => Values;
}

/** Makes a change that no service offers, and records it. @throws ConnectError unavailable without a record; the error of `work` */
export function recordCommand<T>(
  environment: Environment,
  connection: Connection,
  { command, details, work, returnedBy }: Recorded<T>,
): Promise<T> {
  const audit = createRedisAuditStore(connection, undefined, undefined);
  const actor = thisOperator(environment.env);
  const action = { actor, request: randomUUID(), method: command, details };
  const trail = createTrail({ audit }, auditLogOf(environment));
  return recordChange(trail, action, work, { returnedBy });
}
