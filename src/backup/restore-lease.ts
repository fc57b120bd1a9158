import { randomUUID } from "node:crypto";
import { singleFlight } from "connect-gateway/call";
import type { Connection } from "../stores/redis/connection/connection.ts";
import { restoreKey } from "../stores/redis/keys.ts";
import { loadWriteScript } from "../stores/redis/scripts.ts";

/** The data cannot be restored. */
export class RestoreError extends Error {
  override name = "RestoreError";
}

/** Takes the right to restore data for a while. @throws RestoreError if another process has it; ConnectError unavailable */
export async function leaseRestore(connection: Connection) {
  const script = loadWriteScript(connection, "renew-restore");
  const id = randomUUID();
  let renewedAt = performance.now();
  const isAlone = await connection.change(restoreKey, (redis) =>
    redis.set(restoreKey, id, "PX", leaseMs, "NX"),
  );
  if (!isAlone) {
    throw new RestoreError(
      `Another restore is running, or was killed less than ${leaseMs / 1_000} s ago: nothing was restored.`,
    );
  }

  const renew = singleFlight(async () => {
    do {
      const now = performance.now();
      if (!(await script([restoreKey], [id, leaseMs]))) {
        throw new RestoreError("Another restore began in the meantime.");
      }
      renewedAt = now;
      // The lease may be over since the reply, if this process was suspended before it read it.
    } while (performance.now() - renewedAt > lateMs);
  });

  function whileLeased(perform: Connection["run"]): Connection["run"] {
    return async (...commands) => {
      if (performance.now() - renewedAt > recentMs) await renew();
      return perform(...commands);
    };
  }

  return {
    id,
    /**
     * Renews the lease before commands if the last renewal is not recent. If another process has begun, they fail with
     * RestoreError. Only a command that was partly sent when this process was suspended for the time of the lease can still
     * be completed.
     */
    connection: {
      ...connection,
      run: whileLeased(connection.run),
      change: whileLeased(connection.change),
    } satisfies Connection,
    /** Ends the lease, unless it belongs to another process by now. @throws ConnectError unavailable */
    async release(): Promise<void> {
      await script([restoreKey], [id, 0]);
    },
  };
}

/** How long the lease lasts, in milliseconds: longer than `lateMs` and any command. After a kill, a restore waits for it. */
const leaseMs = 15_000;

/** The time between two renewals, in milliseconds. */
const recentMs = 2_000;

/** The time after which the reply to a renewal is too old, in milliseconds. */
const lateMs = 4_000;
