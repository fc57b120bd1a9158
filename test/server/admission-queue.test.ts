import { setImmediate as nextTick } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import type { NodeServerRequest } from "../../src/http/exchange/node-http.ts";
import { TickBudget } from "../../src/http/tick-budget.ts";
import {
  createAdmissionQueue,
  maxUndecided,
  maxWaitMs,
} from "../../src/server/load/admission-queue.ts";

const requestOf = (caller: string) => ({ caller }) as unknown as NodeServerRequest;

function create() {
  const clock = { ms: 0 };
  const queue = createAdmissionQueue(
    new TickBudget("admissions", () => clock.ms),
    (request) => (request as unknown as { caller: string }).caller,
  );
  /** Begins the most admissions allowed. */
  async function fill(): Promise<void> {
    for (let begun = 0; begun < maxUndecided; ) {
      if (queue.begin(requestOf("busy"))) begun += 1;
      else await nextTick();
    }
  }
  return { clock, queue, fill };
}

test("an admission beyond the limit begins when another one ends", async () => {
  const { queue, fill } = create();
  await fill();
  expect(queue.begin(requestOf("a"))).toBe(false);
  let isBegun: boolean | undefined;
  void queue.wait(requestOf("a")).then((result) => {
    isBegun = result;
  });
  await nextTick();
  await nextTick();
  expect(isBegun).toBeUndefined();
  queue.end();
  await expect.poll(() => isBegun).toBe(true);
  expect(queue.begin(requestOf("b"))).toBe(false);
});

test("a request that has waited too long is not admitted, and takes no place", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  try {
    const { queue, fill } = create();
    await fill();
    const waiting = queue.wait(requestOf("a"));
    vi.advanceTimersByTime(maxWaitMs);
    expect(await waiting).toBe(false);
    await nextTick();
    queue.end();
    // A request that still waits would take the free place now.
    vi.advanceTimersByTime(1_000);
    expect(queue.begin(requestOf("b"))).toBe(true);
  } finally {
    vi.useRealTimers();
  }
});

test("a later request of a caller does not overtake its waiting one", async () => {
  const { queue, fill } = create();
  await fill();
  await nextTick();
  const waiting = queue.wait(requestOf("a"));
  queue.end();
  queue.end();
  expect(queue.begin(requestOf("a"))).toBe(false);
  expect(queue.begin(requestOf("b"))).toBe(true);
  expect(await waiting).toBe(true);
});
