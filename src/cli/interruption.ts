import { constants } from "node:os";
import { observeStopSignals } from "../app/stop-signals.ts";
import { CommandError } from "./command-error.ts";

/**
 * Calls `use` with a signal that the first SIGINT or SIGTERM aborts. The reason is the name of that one. Another one ends the
 * process, unless it is the first one again: `npm run` passes on the signal that a terminal sends to all processes.
 *
 * @param message replaces the error of `use` after an abort, if given
 */
export async function interruptible<T>(
  use: (signal: AbortSignal) => Promise<T>,
  message?: string,
): Promise<T> {
  const controller = new AbortController();
  const { signal } = controller;
  const { first, second, release } = observeStopSignals();
  first.then((name) => controller.abort(name));
  second.then((name) => process.exit(128 + constants.signals[name]));
  try {
    return await use(signal);
  } catch (error) {
    throw signal.aborted && message !== undefined ? interrupted(signal, message) : error;
  } finally {
    release();
  }
}

/** Returns the error of an interrupted command. Its exit code is 130 after SIGINT and 143 after SIGTERM. */
export function interrupted({ reason }: AbortSignal, message: string): CommandError {
  const number = constants.signals[reason as NodeJS.Signals] ?? constants.signals.SIGINT;
  return new CommandError("canceled", message, 128 + number);
}

/** Waits for a promise, but at most `ms` milliseconds after the signal is aborted. @throws the signal's reason then */
export function withGracePeriod<T>(work: Promise<T>, signal: AbortSignal, ms: number): Promise<T> {
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined;
    const limit = () => {
      timer = setTimeout(() => reject(signal.reason), ms);
    };
    if (signal.aborted) limit();
    else signal.addEventListener("abort", limit, { once: true });
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", limit);
    };
    work.finally(end).then(resolve, reject);
  });
}
