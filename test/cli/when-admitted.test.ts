import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { whenAdmitted } from "../../src/cli/session/when-admitted.ts";
import { retryAfter, serviceError } from "../../src/contract/errors.ts";

const limited = (seconds: number) => serviceError("RATE_LIMITED", "no room", retryAfter(seconds));

/** Makes a call that fails with each of these errors, then returns 7. */
async function run(errors: readonly Error[], jsonErrors = false) {
  const left = [...errors];
  const waits: number[] = [];
  const stderr = new PassThrough();
  const call = async () => {
    const error = left.shift();
    if (error) throw error;
    return 7;
  };
  const result = await whenAdmitted({ stderr, jsonErrors }, call, async (ms) =>
    waits.push(ms),
  ).catch((error: unknown) => error);
  return { result, waits, told: await text(stderr.end()) };
}

test("waits as long as the server says, and says so", async () => {
  expect(await run([limited(61), limited(2)])).toEqual({
    result: 7,
    waits: [61_000, 2_000],
    told: "waiting 61 s: the account's request limit is reached\nwaiting 2 s: the account's request limit is reached\n",
  });
  expect(await run([limited(61)], true)).toMatchObject({ result: 7, told: "" });
});

test.each([
  limited(121),
  serviceError("BATCH_OVER_LIMIT", "too large"),
  serviceError("STORE_UNAVAILABLE", "gone", retryAfter(1)),
  new Error("a bug"),
])("does not wait for %s", async (error) => {
  expect(await run([error])).toEqual({ result: error, waits: [], told: "" });
});
