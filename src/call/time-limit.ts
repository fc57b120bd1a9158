import { type Deadline, deadlineExceeded } from "./deadline.ts";
import { guarded } from "./guard.ts";

/** What is told that its time is over. */
interface Abortable {
  abort(reason: unknown): void;
}

/** Waits for the work of a call, but not beyond its end. */
export interface TimeLimit {
  /**
   * Waits for a piece of work, one at a time.
   *
   * @throws ConnectError deadline_exceeded, or the reason for which the call has ended
   */
  wait<T>(work: Promise<T>): Promise<T>;
  /** Ends the call, and the waiting. */
  end(reason: unknown): void;
  /** To be called when there is no more to wait for. */
  release(): void;
}

/** Longest time that a timer of Node can be set to, in milliseconds: 24 days. */
const longestTimer = 2 ** 31 - 1;

/**
 * Limits the time of a call. What the call's method does then is its own business: it is told by the
 * call's signal, but nobody waits for it any more.
 *
 * @param deadline when the call ends; it can have passed
 */
export function limitTime(call: Abortable, deadline: Deadline): TimeLimit {
  const timeout = deadline === undefined ? undefined : deadline - performance.now();
  let ended: unknown;
  let interrupt: ((reason: unknown) => void) | undefined;
  const end = (reason: unknown) => {
    ended = reason;
    call.abort(reason);
    interrupt?.(reason);
  };
  let timer: NodeJS.Timeout | undefined;
  if (timeout !== undefined && timeout <= 0) end(deadlineExceeded());
  else if (timeout !== undefined && timeout <= longestTimer) {
    const onTimeout = guarded(
      (error) => interrupt?.(error),
      () => end(deadlineExceeded()),
    );
    timer = setTimeout(onTimeout, Math.ceil(timeout));
  }
  return {
    end,
    wait: (work) =>
      new Promise((resolve, reject) => {
        interrupt = reject;
        work.then(resolve, reject);
        if (ended) reject(ended);
      }),
    release: () => clearTimeout(timer),
  };
}
