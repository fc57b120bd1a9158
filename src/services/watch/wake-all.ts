import { setImmediate } from "node:timers/promises";
import type { Watcher } from "./watcher.ts";

/** Watchers that are woken in one event-loop tick, so that other work is not delayed. */
const atOnce = 250;

/**
 * Makes a function that wakes all watchers in batches. It resolves when each of them was woken at least once since the
 * call. Calls made during a run share the next run.
 */
export function createWakeAll(watchers: ReadonlySet<Watcher>): () => Promise<void> {
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;

  async function round(): Promise<void> {
    let count = 0;
    for (const watcher of [...watchers]) {
      watcher.wake();
      count += 1;
      if (count % atOnce === 0) await setImmediate();
    }
    // Lets the woken watchers send their messages before the next round.
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
