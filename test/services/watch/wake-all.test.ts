import { setImmediate as nextTick } from "node:timers/promises";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createWakeAll } from "../../../src/services/watch/wake-all.ts";
import { createWatcher } from "../../../src/services/watch/watcher.ts";

test("each call has woken all watchers since it was made, however calls share runs", async () => {
  const wakes = new Map<string, number>();
  // More than are woken in one tick.
  const watchers = Array.from({ length: 600 }, (_, at) => ({
    ...createWatcher(`key ${at}`, () => {}),
    wake: () => void wakes.set(`key ${at}`, (wakes.get(`key ${at}`) ?? 0) + 1),
  }));
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(6), { minLength: 1, maxLength: 12 }), async (ticksBetween) => {
      const wakeAll = createWakeAll(new Set(watchers));
      const calls: Promise<void>[] = [];
      for (const ticks of ticksBetween) {
        const before = new Map(wakes);
        const expectWoken = async () => {
          await wakeAll();
          const missed = watchers.filter(({ keyId }) => wakes.get(keyId) === before.get(keyId));
          expect(missed).toEqual([]);
        };
        calls.push(expectWoken());
        for (let tick = 0; tick < ticks; tick += 1) await nextTick();
      }
      await Promise.all(calls);
    }),
    { numRuns: 50 },
  );
});
