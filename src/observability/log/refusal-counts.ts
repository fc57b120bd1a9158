import type { FieldsOf } from "./lines.ts";

/** Most keys whose requests are counted one by one. A client can only use keys that exist. */
const maxKeys = 1_000;

/** Most reasons that are counted one by one. There are fewer. */
const maxReasons = 50;

/** Most keys in the summary. */
const maxTopKeys = 5;

/** Counts requests that were refused with 429. Its memory is bounded. */
export function createRefusalCounts() {
  let requests = 0;
  const byReason = new Map<string, number>();
  const byKey = new Map<string, number>();
  return {
    /** @param keyId undefined when the request had no valid key */
    add(reason: string, keyId: string | undefined): void {
      requests += 1;
      increment(byReason, reason, maxReasons);
      if (keyId !== undefined) increment(byKey, keyId, maxKeys);
    },
    /** Returns the counts since the last call; undefined when there were no refusals. */
    take(): FieldsOf<"refused"> | undefined {
      if (requests === 0) return undefined;
      const topKeys = [...byKey]
        .sort(([, a], [, b]) => b - a)
        .slice(0, maxTopKeys)
        .map(([keyId, count]) => ({ keyId, requests: count }));
      const summary = {
        requests,
        reasons: Object.fromEntries(byReason),
        keys: byKey.size,
        topKeys,
      };
      requests = 0;
      byReason.clear();
      byKey.clear();
      return summary;
    },
  };
}

function increment(counts: Map<string, number>, key: string, most: number): void {
  const count = counts.get(key);
  if (count !== undefined || counts.size < most) counts.set(key, (count ?? 0) + 1);
}
