import { AsyncLocalStorage } from "node:async_hooks";
import { vi } from "vitest";

/**
 * Fakes the timers of the code that a test runs, until `vi.useRealTimers()`. Code of other files in the same worker, such as
 * servers that close, keeps real timers, so `vi.getTimerCount()` counts the test's own.
 *
 * @param others what else is faked, for all code
 * @returns runs code with fake timers
 */
export function fakeOwnTimers(...others: "performance"[]): <T>(run: () => T) => T {
  const own = new AsyncLocalStorage<true>();
  const real = { setTimeout, setInterval, clearTimeout, clearInterval };
  vi.useFakeTimers({
    toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", ...others],
  });
  const fake = { setTimeout, setInterval, clearTimeout, clearInterval };
  const faked = new WeakSet<object>();
  const start =
    (name: "setTimeout" | "setInterval") =>
    (...args: Parameters<typeof setTimeout>) => {
      if (!own.getStore()) return real[name](...args);
      const timer = fake[name](...args);
      faked.add(timer);
      return timer;
    };
  const stop = (name: "clearTimeout" | "clearInterval") => (timer?: NodeJS.Timeout) =>
    (timer && faked.has(timer) ? fake : real)[name](timer);
  Object.assign(globalThis, {
    setTimeout: start("setTimeout"),
    setInterval: start("setInterval"),
    clearTimeout: stop("clearTimeout"),
    clearInterval: stop("clearInterval"),
  });
  return (run) => own.run(true, run);
}
