import { setImmediate as nextTick } from "node:timers/promises";
import { expect, test } from "vitest";
import type { CallContext } from "../../../src/common/call-context.ts";
import { batchByTick } from "../../../src/stores/redis/tick-batch.ts";
import { bytesKept } from "../../support/kept-memory.ts";

interface Entry extends CallContext {
  readonly data: readonly number[];
}

const numbers = 1_000;
const batches = 2_000;

test("a batch does not stay in memory until the next major collection", async () => {
  const lengthOf = batchByTick(async (entries: readonly Entry[]) => {
    await nextTick();
    return entries.map(({ data }) => data.length);
  }, 10);
  const kept = await bytesKept(async () => {
    for (let batch = 0; batch < batches; batch += 1) {
      expect(await lengthOf({ data: new Array(numbers).fill(0.5) })).toBe(numbers);
    }
  });
  // All batches have 16 MB.
  expect(kept).toBeLessThan(2_000_000);
});
