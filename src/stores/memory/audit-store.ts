import { chainHash, chainStart } from "../../audit/chain.ts";
import { type AuditEntry, type AuditStore, linked } from "../audit-store.ts";

/** Makes the audit trail in memory. @param length the highest number of entries */
export function createMemoryAuditStore(
  now: () => number,
  length = Number.POSITIVE_INFINITY,
): AuditStore {
  const entries: AuditEntry[] = [];
  let anchor = chainStart;
  let newest = 0;
  let lastTime = 0;

  const oldest = () => newest - entries.length + 1;
  const newestHash = () => entries.at(-1)?.hash ?? anchor;

  return {
    async append(body) {
      newest += 1;
      // The clock can be set back.
      lastTime = Math.max(lastTime, now());
      const entry = { sequence: newest, time: lastTime, body };
      entries.push({ ...entry, hash: chainHash(newestHash(), entry) });
      if (entries.length > length) anchor = entries.shift()?.hash ?? anchor;
      return newest;
    },

    async read(first, limit) {
      const from = Math.max(oldest(), first ?? newest - limit + 1);
      const at = from - oldest();
      return {
        entries: linked(entries.slice(at, at + limit), entries[at - 1]?.hash ?? anchor),
        ends: { oldest: oldest(), anchor, newest, hash: newestHash() },
      };
    },
  };
}
