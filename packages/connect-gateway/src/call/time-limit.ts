import { type Deadline, deadlineExceeded } from "./deadline.ts";
import { guarded } from "./guard.ts";
import { startTimer } from "./timer.ts";

export type TimeLimit = ReturnType<typeof limitTime>;

/** Limits the time of a call. At the deadline, it aborts the signal and stops waiting, even if the method does not react. */
export function limitTime(call: Pick<AbortController, "abort">, deadline: Deadline) {
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
  else if (timeout !== undefined) {
    const onTimeout = guarded(
      (error) => interrupt?.(error),
      () => end(deadlineExceeded()),
    );
    timer = startTimer(onTimeout, timeout);
  }
  return {
    /** Ends the call, and rejects the open wait with the reason. */
    end,
    /** Waits for a promise, one at a time. @throws ConnectError deadline_exceeded, or the reason given to `end` */
    wait: <T>(work: Promise<T>) =>
      new Promise<T>((resolve, reject) => {
        interrupt = reject;
        work.then(resolve, reject);
        if (ended) reject(ended);
      }),
    /** Stops the timer. Call it when the work is done. */
    release: () => clearTimeout(timer),
  };
}
