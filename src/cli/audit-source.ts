import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { AdminService, AuditEntry } from "../../gen/admin/v1/admin_pb.ts";
import type { LinkedEntry, TrailPage } from "../audit/audit-store.ts";
import type { LocalClient } from "../call/local-client.ts";
import type { CommonOptions } from "./command-options.ts";
import type { Environment } from "./environment.ts";
import type { FieldSources } from "./field-sources.ts";
import { withServer } from "./server-session.ts";
import { required, withSession } from "./session.ts";

/** Options of the commands that read the audit trail. */
export interface TrailOptions extends CommonOptions {
  /** Base URL of a running server. If absent, the trail is read from the Redis of the service. */
  readonly server?: string;
}

/** Offers the audit trail. */
export type TrailService = Pick<LocalClient<typeof AdminService>, "listAuditEntries">;

/** Calls `use` with the service of a server, or with that of this process on Redis. @throws CommandError */
export function withTrail<T>(
  environment: Environment,
  { server }: TrailOptions,
  sources: FieldSources,
  use: (service: TrailService) => Promise<T>,
): Promise<T> {
  return server === undefined
    ? withSession(environment, sources, ({ admin }) => use(admin))
    : withServer(environment, server, ({ admin }) => use(admin));
}

/** Reads the entries after a sequence number, oldest first, and where the trail begins and ends. */
export async function readAfter(
  service: TrailService,
  sequence: bigint,
  pageSize: number,
): Promise<TrailPage> {
  const { entries, trail } = await service.listAuditEntries({ afterSequence: sequence, pageSize });
  const { oldestSequence, anchorHash, newestSequence, newestHash } = required(trail);
  return {
    entries: entries.map(linkedEntry),
    ends: {
      oldest: Number(oldestSequence),
      anchor: anchorHash,
      newest: Number(newestSequence),
      hash: newestHash,
    },
  };
}

/** Returns the stored parts of an entry. */
export function linkedEntry({ sequence, time, body, previousHash, hash }: AuditEntry): LinkedEntry {
  const at = timestampMs(required(time));
  return { sequence: Number(sequence), time: at, body, previous: previousHash, hash };
}
