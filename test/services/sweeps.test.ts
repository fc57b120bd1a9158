import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { startSweeps } from "../../src/services/sweeps.ts";
import { createMemoryStores } from "../../src/stores/memory/stores.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] }));
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

test("ended orders are removed every 10 s, and again as long as there are more, until the end", async () => {
  const stores = createMemoryStores();
  const remove = vi.spyOn(stores.orders, "removeEnded");
  remove.mockResolvedValueOnce(true).mockResolvedValueOnce(true).mockResolvedValue(false);
  const stop = startSweeps(stores, () => expect.unreachable());
  vi.advanceTimersByTime(9_999);
  expect(remove).toHaveBeenCalledTimes(0);
  vi.advanceTimersByTime(1);
  await vi.waitUntil(() => remove.mock.calls.length === 3, 10_000);
  vi.advanceTimersByTime(10_000);
  await vi.waitUntil(() => remove.mock.calls.length === 4, 10_000);
  stop();
  vi.advanceTimersByTime(60_000);
  expect(remove).toHaveBeenCalledTimes(4);
});

/** At most 250 changes a second, as many as a watcher that reads 1 Mbit/s can follow. */
test.each([
  ["of 100 changes", 100, 400],
  ["of 50 changes", 50, 200],
  ["of 20 holds of one pet", 20, 80],
  ["of one change", 1, 40],
])(
  "ten sweeps of due holds follow each other at once, and further ones %s after a pause",
  async (_, changes, pauseMs) => {
    const stores = createMemoryStores();
    const pauses: number[] = [];
    let isSameTick = false;
    let before = 0;
    vi.spyOn(stores.holds, "sweep").mockImplementation(async () => {
      const now = performance.now();
      // The process can stop between two sweeps of a tick.
      pauses.push(isSameTick ? 0 : now - before);
      before = now;
      isSameTick = true;
      setImmediate(() => {
        isSameTick = false;
      });
      return pauses.length < 13 ? changes : 0;
    });
    const stop = startSweeps(stores, () => expect.unreachable());
    vi.advanceTimersByTime(400);
    await vi.waitUntil(() => pauses.length >= 13, { timeout: 10_000 });
    stop();
    // A timer can be early by a millisecond.
    expect(pauses.slice(1, 13).map((ms) => ms >= pauseMs - 1)).toEqual([
      ...Array(9).fill(false),
      true,
      true,
      true,
    ]);
  },
);
