import type { ComponentChildren } from "preact";
import { ErrorBanner } from "./error-banner.tsx";
import type { Job } from "./use-job.ts";

/** Shows how far a job is, and why it waits or has stopped. */
export function JobProgressBar({ job }: { job: Job }) {
  const { done, total, state, fault } = job;
  if (state === "new") return null;
  return (
    <>
      <progress class="progress" aria-label="Progress" value={done} max={total} />
      {state === "running" && fault && (
        <p class="banner banner-warning" role="status">
          {fault.message} This continues by itself.
        </p>
      )}
      {state === "stopped" && <ErrorBanner fault={fault} />}
    </>
  );
}

/**
 * The buttons below a job: they begin, stop or continue it, or close the dialog. Stop is not in the place of the button
 * that begins the job, where the second click of a double click would press it.
 */
export function JobButtons(props: {
  job: Job;
  /** Begins the job. Without it, the job cannot begin. */
  begin?: string;
  isDangerous?: boolean | undefined;
  onClose(): void;
  /** Other buttons. */
  children?: ComponentChildren;
}) {
  const { job, begin, isDangerous, onClose, children } = props;
  const { state, run, stop } = job;
  const isRunning = state === "running";
  const next = state === "new" ? begin : state === "complete" ? undefined : "Continue";
  return (
    <div class="form-buttons">
      <button type="button" onClick={isRunning ? stop : onClose}>
        {isRunning ? "Stop" : state !== "new" ? "Close" : isDangerous ? "Keep" : "Cancel"}
      </button>
      {children}
      {next && (
        <button
          type="button"
          class={isDangerous ? "button-danger" : "button-main"}
          disabled={isRunning}
          onClick={run}
        >
          {next}
        </button>
      )}
    </div>
  );
}
