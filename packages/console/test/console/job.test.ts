import { Code, ConnectError } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { RetryInfoSchema } from "../../../../gen/google/rpc/error_details_pb.ts";
import { faultOf } from "../../src/console/shared/call-fault.ts";
import { type JobProgress, runJob } from "../../src/console/shared/job.ts";

const failure = (code: Code, retryAfterSeconds?: number) =>
  new ConnectError(
    "",
    code,
    undefined,
    retryAfterSeconds === undefined
      ? []
      : [{ desc: RetryInfoSchema, value: { retryDelay: { seconds: BigInt(retryAfterSeconds) } } }],
  );

/** Runs a job of steps of 10, whose calls fail as listed; `undefined` succeeds. */
async function run(
  failures: readonly (ConnectError | undefined)[],
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
        const error = left.shift();
        if (error) throw error;
        return 10;
      },
      async wait(count) {
        waits.push(count);
      },
      isStopped: () => isStopped(calls),
      onProgress: (each) => void progress.push(each),
    },
    from,
  );
  return { end, calls, waits, progress };
}

const down = failure(Code.Unavailable);

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
    expect(progress).toContainEqual({ done: 10, fault: faultOf(down) });
    expect(end).toEqual({ done: 30 });
  });

  test("waits for the limit per minute, and not for the limit per day", async () => {
    const minute = failure(Code.ResourceExhausted, 50);
    expect((await run([minute])).end).toEqual({ done: 30 });
    const day = failure(Code.ResourceExhausted, 3_600);
    const end = { done: 10, fault: faultOf(day) };
    expect(await run([undefined, day])).toMatchObject({ end, waits: [] });
  });

  test("stops at another error, or after six attempts, and continues where it stopped", async () => {
    const denied = failure(Code.PermissionDenied);
    expect((await run([undefined, denied])).end).toEqual({ done: 10, fault: faultOf(denied) });
    expect(await run(Array(6).fill(down))).toMatchObject({
      end: { done: 0, fault: faultOf(down) },
    });
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
