import { expect, onTestFinished, test, vi } from "vitest";
import { PetStatus } from "../../gen/inventory/v1/inventory_pb.ts";
import {
  createMemoryChangeReader,
  type MemoryRevocations,
} from "../../src/stores/memory/history.ts";
import { newStock, writeItem } from "../../src/stores/memory/stock.ts";
import { changeWaitMs, unknownOrigin } from "../../src/stores/stock-change.ts";

const pet = { petId: 1n, quantity: 1, status: PetStatus.AVAILABLE };

test.each<[end: string, make: (all: ReturnType<typeof setUp>) => unknown]>([
  ["a change", ({ stock }) => writeItem(stock, pet, unknownOrigin)],
  [
    "a revocation",
    ({ revocations }) => {
      for (const revoked of revocations) revoked("key");
    },
  ],
  ["the end of its time", () => vi.advanceTimersByTime(changeWaitMs)],
  ["its close", ({ reader }) => reader.close()],
])(
  "a reader of changes in memory leaves nothing behind when its wait ends with %s",
  async (_, make) => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const all = setUp();
    const { stock, reader, revocations } = all;
    // The first call returns at once.
    await reader.next(stock.version);
    for (let wait = 0; wait < 3; wait += 1) {
      const waiting = reader.next(stock.version);
      expect([stock.listeners.size, vi.getTimerCount()]).toEqual([1, 1]);
      make(all);
      await waiting;
      expect([stock.listeners.size, vi.getTimerCount()]).toEqual([0, 0]);
    }
    reader.close();
    expect(revocations.size).toBe(0);
  },
);

function setUp() {
  const stock = newStock(() => 1_000, undefined, undefined);
  const revocations: MemoryRevocations = new Set();
  return { stock, revocations, reader: createMemoryChangeReader(stock, revocations) };
}
