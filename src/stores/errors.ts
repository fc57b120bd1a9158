import { ConnectError } from "@connectrpc/connect";
import { reasonOf, retryAfter, serviceError } from "../contract/errors.ts";

/**
 * The database cannot be reached, or did not respond in time.
 *
 * @param cause the error of the store's client, which the caller does not see
 */
export function storeUnavailable(cause: unknown): ConnectError {
  // Redis has refused the command before it has changed anything.
  if (cause instanceof Error && cause.message.startsWith("OOM ")) return storeFull(cause);
  return unavailable("The database is not available. Retry in 1 s.", cause);
}

/** The memory of the database is full, so it stores nothing more. */
export function storeFull(cause?: unknown): ConnectError {
  const message =
    "The database is full, so it stores nothing new. Requests that read, cancel, release or delete still succeed. Retry in 30 s, or ask the operator to make room.";
  return serviceError("STORE_FULL", message, { ...retryAfter(30), cause });
}

/**
 * Extends the error of a change that was sent to the store when the store did not respond.
 *
 * @param error the error of the store
 * @returns the error, with a message that the change may have been made; any other error unchanged
 */
export function changeUncertain(error: unknown): unknown {
  if (!(error instanceof ConnectError) || reasonOf(error) !== "STORE_UNAVAILABLE") return error;
  const uncertain = unavailable(
    "The database is not available. The change may or may not have been made. Retry in 1 s.",
    error.cause,
  );
  // An import says there how many of its rows were applied before.
  uncertain.details = [...error.details];
  return uncertain;
}

function unavailable(message: string, cause: unknown): ConnectError {
  return serviceError("STORE_UNAVAILABLE", message, { ...retryAfter(1), cause });
}
