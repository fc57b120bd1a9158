import { useEffect, useRef, useState } from "preact/hooks";
import { type CallFault, endsSession } from "./call-fault.ts";
import { askToStay } from "./draft.tsx";
import { type JobProgress, type JobWork, runJob } from "./job.ts";
import { retryDelayMs } from "./retry-delay.ts";
import { startRetryWait } from "./retry-wait.ts";

/** A job that the user can stop and continue. */
export interface Job extends JobProgress {
  readonly total: number;
  readonly state: "new" | "running" | "stopped" | "complete";
  /** Begins, or continues after a stop or an error. */
  run(): void;
  /** Stops after the call that is under way. */
  stop(): void;
}

/**
 * Keeps the state of a job. The job stops when the component disappears, such as at the end of the session. While it
 * runs, the browser asks before it closes the page.
 *
 * @param onEnd called when the job is complete or stopped. `isShown` is false if the user can no longer see its state
 */
export function useJob(
  { total, step }: Pick<JobWork, "total" | "step">,
  onEnd: (done: number, isShown: boolean) => void,
): Job {
  const [progress, setProgress] = useState<JobProgress>({ done: 0 });
  const [state, setState] = useState<Job["state"]>("new");
  const running = useRef<AbortController>(undefined);
  const isShown = useRef(true);
  useEffect(
    () => () => {
      isShown.current = false;
      running.current?.abort();
    },
    [],
  );

  async function run(): Promise<void> {
    if (running.current) return;
    const stop = new AbortController();
    const wait = (count: number, { retryAfterMs }: CallFault) => {
      const delayMs = retryDelayMs({ count, isCounted: false, atLeastMs: retryAfterMs });
      return startRetryWait(delayMs, stop.signal).over;
    };
    running.current = stop;
    setState("running");
    addEventListener("beforeunload", askToStay);
    const isStopped = () => stop.signal.aborted;
    const work = { total, step, wait, isStopped, onProgress: setProgress };
    const end = await runJob(work, progress.done);
    removeEventListener("beforeunload", askToStay);
    running.current = undefined;
    setProgress(end);
    setState(end.done < total ? "stopped" : "complete");
    onEnd(end.done, isShown.current && !(end.fault && endsSession(end.fault)));
  }

  return {
    ...progress,
    total,
    state,
    run: () => void run(),
    stop: () => running.current?.abort(),
  };
}
