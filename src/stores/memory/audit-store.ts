import type { AuditEntry, AuditStore } from "../audit-store.ts";

/** Makes the audit trail in memory. @param length the highest number of entries */
export function createMemoryAuditStore(
  now: () => number,
  length = Number.POSITIVE_INFINITY,
): AuditStore {
  const entries: AuditEntry[] = [];
  let newest = 0;

  return {
    async append(body) {
      newest += 1;
      // The clock can be set back.
      const time = Math.max(entries.at(-1)?.time ?? 0, now());
      entries.push({ sequence: newest, time, body });
      if (entries.length > length) entries.shift();
      return newest;
    },
    async read(first, limit) {
      const oldest = newest - entries.length + 1;
      const at = Math.max(oldest, first ?? newest - limit + 1) - oldest;
      return { entries: entries.slice(at, at + limit), ends: { oldest, newest } };
    },
  };
}
