import { Code } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import type { CallFault } from "../../src/console/shared/call-fault.ts";
import { type JobProgress, runJob } from "../../src/console/shared/job.ts";

const fault = (code: Code, retryAfterMs?: number): CallFault => ({
  message: "",
  code,
  reason: undefined,
  requestId: undefined,
  facts: {},
  fields: {},
  retryAfterMs,
});

/** Runs a job of steps of 10, whose calls fail as listed; `undefined` succeeds. */
async function run(
  failures: readonly (CallFault | undefined)[],
  { from = 0, isStopped = (_: readonly number[]): boolean => false } = {},
) {
  const left = [...failures];
  const calls: number[] = [];
  const waits: number[] = [];
  const progress: JobProgress[] = [];
  const end = await runJob(
    {
      total: 30,
      async step(done) {
        calls.push(done);
        const failure = left.shift();
        if (failure) throw failure;
        return 10;
      },
      async wait(count) {
        waits.push(count);
      },
    },
    from,
    (error) => error as CallFault,
    () => isStopped(calls),
    (each) => progress.push(each),
  );
  return { end, calls, waits, progress };
}

const down = fault(Code.Unavailable);

describe("a job", () => {
  test("makes one step after the other", async () => {
    const { end, calls, progress } = await run([]);
    expect(calls).toEqual([0, 10, 20]);
    expect(end).toEqual({ done: 30 });
    expect(progress).toEqual([{ done: 10 }, { done: 20 }, { done: 30 }]);
  });

  test("makes a step again while the service is unavailable, and says why it waits", async () => {
    const { end, calls, waits, progress } = await run([undefined, down, down]);
    expect(calls).toEqual([0, 10, 10, 10, 20]);
    expect(waits).toEqual([1, 2]);
    expect(progress).toContainEqual({ done: 10, fault: down });
    expect(end).toEqual({ done: 30 });
  });

  test("waits for the limit per minute, and not for the limit per day", async () => {
    const minute = fault(Code.ResourceExhausted, 50_000);
    expect((await run([minute])).end).toEqual({ done: 30 });
    const day = fault(Code.ResourceExhausted, 3_600_000);
    expect(await run([undefined, day])).toMatchObject({ end: { done: 10, fault: day }, waits: [] });
  });

  test("stops at another error, or after six attempts, and continues where it stopped", async () => {
    const denied = fault(Code.PermissionDenied);
    expect((await run([undefined, denied])).end).toEqual({ done: 10, fault: denied });
    expect(await run(Array(6).fill(down))).toMatchObject({ end: { done: 0, fault: down } });
    expect((await run([], { from: 20 })).calls).toEqual([20]);
  });

  test("makes up to six attempts of each step", async () => {
    const five = Array(5).fill(down);
    const { end, waits } = await run([...five, undefined, ...five]);
    expect(end).toEqual({ done: 30 });
    expect(waits).toEqual([1, 2, 3, 4, 5, 1, 2, 3, 4, 5]);
  });

  test("stops after the call that is under way", async () => {
    const { end, calls } = await run([], { isStopped: (made) => made.length === 2 });
    expect(calls).toEqual([0, 10]);
    expect(end).toEqual({ done: 20 });
    const failing = await run([down], { isStopped: (made) => made.length === 1 });
    expect(failing).toMatchObject({ waits: [], end: { done: 0 } });
  });
});
