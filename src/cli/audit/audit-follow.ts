import { hash } from "node:crypto";
import type { AuditEntry } from "../../stores/audit-store.ts";
import type { Stores } from "../../stores/stores.ts";
import type { Records } from "../follow/follow.ts";
import { following } from "../follow/print-records.ts";
import { entryLine } from "./audit-lines.ts";

/** Prints every entry of the audit trail after the place of a name. @throws CommandError */
export const followTrail = following("audit", trailRecords, entryLine);

/** The entries of the trail. A place is a sequence number, and a hash of the entry, which shows that it is the same trail. */
function trailRecords({ audit }: Pick<Stores, "audit">): Records<AuditEntry> {
  const placeAfter = (entry: AuditEntry) =>
    `${entry.sequence} ${hash("sha256", entryLine(entry), "base64url").slice(0, 16)}`;
  return {
    noun: "entries",
    setting: "AUDIT_LENGTH",
    pollMs: 1_000,
    placeForm: /^\d{1,16}(?: [\w-]{16})?$/,
    async end(which) {
      const { entries, ends } = await audit.read(undefined, 1);
      const [newest] = entries;
      return which === "newest" && newest ? placeAfter(newest) : `${ends.oldest - 1}`;
    },
    placeAfter,
    async since(place, most) {
      const [number = "", mark] = place.split(" ");
      const sequence = Number(number);
      const first = mark === undefined ? sequence + 1 : sequence;
      const { entries, ends } = await audit.read(first, most + 1);
      const records = entries.filter((entry) => entry.sequence > sequence);
      const [before] = entries;
      const isSame = before?.sequence !== sequence || placeAfter(before) === place;
      const isWhole = ends.oldest <= sequence + 1 && ends.newest >= sequence;
      return isSame && isWhole ? { records, total: ends.newest - sequence } : undefined;
    },
  };
}
