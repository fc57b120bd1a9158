import { EventEmitter } from "node:events";
import { setImmediate as nextTick } from "node:timers/promises";
import { expect, test } from "vitest";
import { bytesKept } from "../../../../test/support/kept-memory.ts";
import { guardEmit } from "../../src/call/guard.ts";

test("a guarded emitter does not stay in memory until the next major collection", async () => {
  const kept = await bytesKept(async () => {
    for (let count = 0; count < 2_000; count += 1) {
      const emitter = Object.assign(new EventEmitter(), { data: new Array(1_000).fill(0.5) });
      guardEmit(emitter, () => {});
      await nextTick();
    }
  });
  // All emitters have 16 MB.
  expect(kept).toBeLessThan(2_000_000);
});
