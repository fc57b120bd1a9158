import { Code } from "@connectrpc/connect";
import { type CallFault, faultOf } from "./call-fault.ts";

/** Work of many steps, of which each is one call. */
export interface JobWork {
  readonly total: number;
  /** Makes one step. It can be made again after a lost response. @returns how much is done with it */
  step(done: number): Promise<number>;
  /** Waits before the next attempt of a step. @param failures how often it has failed */
  wait(failures: number, fault: CallFault): Promise<void>;
  /** Checked before each call. A call under way ends first, so that its result is known. */
  isStopped(): boolean;
  onProgress(progress: JobProgress): void;
}

/** How far a job is. */
export interface JobProgress {
  readonly done: number;
  /** Why the job waits, or has stopped. */
  readonly fault?: CallFault;
}

/** Most attempts of one step. */
const mostAttempts = 6;
/** The longest wait, in milliseconds, that the job makes without the user. */
const longestWaitMs = 90_000;

/**
 * Makes the steps of a job one after the other, and waits where the service asks for it.
 *
 * @param from how much is done already
 */
export async function runJob(work: JobWork, from: number): Promise<JobProgress> {
  const { total, step, wait, isStopped, onProgress } = work;
  let done = from;
  let failures = 0;
  while (done < total && !isStopped()) {
    try {
      done += await step(done);
      failures = 0;
      onProgress({ done });
    } catch (error) {
      const fault = faultOf(error);
      failures += 1;
      if (isStopped() || !mayRetry(fault) || failures === mostAttempts) return { done, fault };
      onProgress({ done, fault });
      await wait(failures, fault);
    }
  }
  return { done };
}

const passingCodes: ReadonlySet<Code> = new Set([
  Code.Unavailable,
  Code.DeadlineExceeded,
  Code.Unknown,
]);

/** Whether the same call can succeed soon. */
function mayRetry({ code, retryAfterMs }: CallFault): boolean {
  if (retryAfterMs !== undefined && retryAfterMs > longestWaitMs) return false;
  return passingCodes.has(code) || (code === Code.ResourceExhausted && retryAfterMs !== undefined);
}
