import { Code, type ConnectError } from "@connectrpc/connect";
import { callError } from "./call-error.ts";

/** When the client of a call stops waiting, in milliseconds on the clock of performance.now(). Undefined for no limit. */
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
