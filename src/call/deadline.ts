import { AsyncLocalStorage } from "node:async_hooks";
import { Code, ConnectError } from "@connectrpc/connect";

/**
 * The time at which the client of a call stops waiting, on the clock of performance.now(), in milliseconds. Undefined
 * when the client sets no limit.
 */
export type Deadline = number | undefined;

const deadlineOfCall = new AsyncLocalStorage<Deadline>();

/**
 * Runs the work of a call. Everything that the work starts can read the deadline from {@link callDeadline}, so a store
 * can check it right before it sends a change.
 *
 * @throws ConnectError deadline_exceeded when the deadline has passed; the work is not started then
 */
export function withinDeadline<T>(deadline: Deadline, work: () => T): T {
  checkDeadline(deadline);
  // A call without a deadline can start in a callback of another call, and must not inherit that call's deadline.
  return callDeadline() === deadline ? work() : deadlineOfCall.run(deadline, work);
}

/** Returns the deadline of the call on whose behalf the current function runs. */
export function callDeadline(): Deadline {
  return deadlineOfCall.getStore();
}

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
  return new ConnectError("The deadline of the request has passed.", Code.DeadlineExceeded);
}
