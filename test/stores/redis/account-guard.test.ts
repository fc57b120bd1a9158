import { expect, onTestFinished, test, vi } from "vitest";
import { minuteMs } from "../../../src/common/durations.ts";
import { createAccountGuard } from "../../../src/stores/redis/accounts/account-guard.ts";

test("checks an account once in ten minutes, and at once after a connection", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const checked: string[] = [];
  const index = {
    unlisted: async (accountIds: readonly string[]) => {
      checked.push(...accountIds);
      return [];
    },
    deleted: async () => [],
    amend: async () => "settled" as const,
  };
  const guard = createAccountGuard(index, () => {});
  const seen = async (accountId: string) => {
    guard.seen([accountId]);
    // A check takes some microtasks.
    await new Promise(setImmediate);
  };

  await seen("a");
  await seen("a");
  vi.advanceTimersByTime(10 * minuteMs - 1);
  await seen("a");
  await seen("b");
  expect(checked).toEqual(["a", "b"]);
  vi.advanceTimersByTime(1);
  await seen("a");
  expect(checked).toEqual(["a", "b", "a"]);
  guard.forget();
  await seen("a");
  expect(checked).toEqual(["a", "b", "a", "a"]);
});
