import { Code, type ConnectError } from "@connectrpc/connect";
import { callError } from "./call-error.ts";

/**
 * The time at which the client of a call stops waiting, on the clock of performance.now(), in milliseconds. Undefined
 * when the client sets no limit.
 */
export type Deadline = number | undefined;

/** Returns whether a deadline has passed. */
export function hasPassed(deadline: Deadline): boolean {
  return deadline !== undefined && performance.now() >= deadline;
}

/** @throws ConnectError deadline_exceeded when the deadline has passed */
export function checkDeadline(deadline: Deadline): void {
  if (hasPassed(deadline)) throw deadlineExceeded();
}

/** Makes the error of a call that took longer than its client waits. */
export function deadlineExceeded(): ConnectError {
  return callError("The deadline of the request has passed.", Code.DeadlineExceeded);
}
