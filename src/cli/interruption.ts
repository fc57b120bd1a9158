import { constants } from "node:os";
import { CommandError } from "./command-error.ts";

/** Observes SIGINT and SIGTERM. */
export interface Interruption {
  /** Aborted by the first of these signals; the reason is its name. */
  readonly signal: AbortSignal;
  /** Stops observing. Call it when the command has ended. */
  release(): void;
}

const signals = ["SIGINT", "SIGTERM"] as const;

/** Starts to observe SIGINT and SIGTERM. The first one only aborts the signal; a second one ends the process. */
export function onInterruption(): Interruption {
  const controller = new AbortController();
  const stop = (name: NodeJS.Signals) => {
    release();
    controller.abort(name);
  };
  const release = () => {
    for (const name of signals) process.off(name, stop);
  };
  for (const name of signals) process.on(name, stop);
  return { signal: controller.signal, release };
}

/** Calls `use` with a signal that the first SIGINT or SIGTERM aborts. */
export async function interruptible<T>(use: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const interruption = onInterruption();
  try {
    return await use(interruption.signal);
  } finally {
    interruption.release();
  }
}

/** Returns the error of an interrupted command. Its exit code is 130 after SIGINT and 143 after SIGTERM. */
export function interrupted({ reason }: AbortSignal, message: string): CommandError {
  const number = constants.signals[reason as NodeJS.Signals] ?? constants.signals.SIGINT;
  return new CommandError("canceled", message, 128 + number);
}

/**
 * Waits for a promise. After the signal is aborted, waits at most `ms` milliseconds longer.
 *
 * @throws the signal's reason if that time has passed
 */
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
