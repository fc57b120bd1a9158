import { expect, test } from "vitest";
import { findEntries, type TrailFilter } from "../../src/audit/search.ts";
import { createMemoryAuditStore } from "../../src/stores/memory/audit-store.ts";

test("a search begins at its start, and ends before its end", async () => {
  const clock = { now: 0 };
  const store = createMemoryAuditStore(() => clock.now);
  for (clock.now of [1_000, 2_000, 2_000, 3_000, 4_000]) await store.append("{}");
  const found = async (filter: TrailFilter) =>
    (await findEntries(store, filter, { below: undefined, limit: 10 })).entries.map(
      ({ sequence }) => sequence,
    );
  expect(await found({ since: 2_000 })).toEqual([5, 4, 3, 2]);
  expect(await found({ since: 2_001 })).toEqual([5, 4]);
  expect(await found({ before: 2_000 })).toEqual([1]);
  expect(await found({ before: 2_001 })).toEqual([3, 2, 1]);
  expect(await found({ since: 2_000, before: 3_000 })).toEqual([3, 2]);
});
