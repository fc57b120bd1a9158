import { AsyncLocalStorage } from "node:async_hooks";
import { Code, ConnectError } from "@connectrpc/connect";

/**
 * When the client of a call stops waiting, on the clock of performance.now(), in milliseconds. Undefined when the
 * client sets no limit.
 */
export type Deadline = number | undefined;

const deadlineOfCall = new AsyncLocalStorage<Deadline>();

/**
 * Does the work of a call. {@link callDeadline} returns the deadline to everything that the work starts, so a store
 * can check it last, right before it sends a change.
 *
 * @throws ConnectError deadline_exceeded when the deadline has passed: the work is not begun
 */
export function withinDeadline<T>(deadline: Deadline, work: () => T): T {
  checkDeadline(deadline);
  // A call without a deadline can begin in the callback of another call, whose deadline is not its own.
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

/** The error of a call that took longer than its client waits. */
export function deadlineExceeded(): ConnectError {
  return new ConnectError("the deadline of the request has passed", Code.DeadlineExceeded);
}
