import { setImmediate } from "node:timers/promises";
import type { Watcher } from "./watcher.ts";

/** Watchers that are woken in one turn of the event loop: in between, others have theirs. */
const atOnce = 250;

/** Wakes all watchers, some at a time. Resolves when each was woken since the call. */
export type WakeAll = () => Promise<void>;

/** Makes a {@link WakeAll}. Calls that come while one is under way share the next one. */
export function createWaking(watchers: ReadonlySet<Watcher>): WakeAll {
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;

  async function round(): Promise<void> {
    let count = 0;
    for (const watcher of [...watchers]) {
      watcher.wake();
      count += 1;
      if (count % atOnce === 0) await setImmediate();
    }
    // What they are woken for is told before the next round.
    await setImmediate();
  }

  function start(): Promise<void> {
    const started = round().finally(() => {
      if (running === started) running = undefined;
    });
    running = started;
    return started;
  }

  return () => {
    if (!running) return start();
    next ??= running.then(() => {
      next = undefined;
      return start();
    });
    return next;
  };
}
