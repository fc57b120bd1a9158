import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { interruptible } from "../../src/cli/interruption.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "setImmediate"] });
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  for (const name of ["SIGINT", "SIGTERM"] as const) process.removeAllListeners(name);
});

test("a second SIGINT or SIGTERM within a second is the same interruption", async () => {
  const exit = vi.spyOn(process, "exit").mockReturnValue(undefined as never);
  await interruptible(async (signal) => {
    expect(process.emit("SIGINT", "SIGINT")).toBe(true);
    await Promise.resolve();
    expect(signal.reason).toBe("SIGINT");
  });
  // Without a listener, a signal that is passed on late would kill the process.
  expect(process.emit("SIGTERM", "SIGTERM")).toBe(true);
  vi.advanceTimersByTime(999);
  expect(process.emit("SIGINT", "SIGINT")).toBe(true);
  await Promise.resolve();
  expect(exit).not.toHaveBeenCalled();
});

test("a later one ends the process with the exit code of that signal", async () => {
  const exit = vi.spyOn(process, "exit").mockReturnValue(undefined as never);
  void interruptible(() => new Promise(() => {}));
  process.emit("SIGTERM", "SIGTERM");
  vi.advanceTimersByTime(1_001);
  process.emit("SIGINT", "SIGINT");
  await Promise.resolve();
  expect(exit).toHaveBeenCalledWith(130);
});

test("a command that was not interrupted leaves no listener", async () => {
  const before = process.listenerCount("SIGINT");
  await interruptible(async () => {});
  expect(process.listenerCount("SIGINT")).toBe(before);
});
