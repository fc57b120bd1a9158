import { hash } from "node:crypto";
import type { AuditEntry } from "../../stores/audit-store.ts";
import type { Stores } from "../../stores/stores.ts";
import type { Environment } from "../environment.ts";
import type { FollowOptions, Records } from "../follow/follow.ts";
import { printRecords } from "../follow/print-records.ts";
import { withStores } from "../session/session.ts";
import { entryLine } from "./audit-lines.ts";

/**
 * Prints every entry of the audit trail after the place of a name, as one line of JSON each.
 *
 * @throws CommandError if the trail no longer has some of these entries, or is another one
 */
export async function followTrail(
  environment: Environment,
  name: string,
  options: FollowOptions,
): Promise<void> {
  await withStores(environment, (stores) =>
    printRecords(environment, stores, {
      kind: "audit",
      name,
      options,
      records: trailRecords(stores),
      lineOf: entryLine,
    }),
  );
}

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
