import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { AdminService, AuditEntry } from "../../../gen/admin/v1/admin_pb.ts";
import type { LocalClient } from "../../call/local-client.ts";
import type { LinkedEntry, TrailPage } from "../../stores/audit-store.ts";
import { required } from "../session/session.ts";

/** Offers the audit trail. */
export type TrailService = Pick<LocalClient<typeof AdminService>, "listAuditEntries">;

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
