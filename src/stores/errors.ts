import type { ConnectError } from "@connectrpc/connect";
import { retryAfter, serviceError } from "../contract/errors.ts";

/** The database cannot be reached, or did not respond in time. @param cause the error, which the caller does not see */
export function storeUnavailable(cause: unknown): ConnectError {
  // Redis has refused the command before it has changed anything.
  if (cause instanceof Error && cause.message.startsWith("OOM ")) return storeFull(cause);
  const message = "The database is not available. Retry in 1 s.";
  return serviceError("STORE_UNAVAILABLE", message, { ...retryAfter(1), cause });
}

/** The memory of the database is full, so it stores nothing more. */
export function storeFull(cause?: unknown): ConnectError {
  const message =
    "The database is full, so it stores nothing new. Requests that read, cancel, release or delete still succeed. Retry in 30 s, or ask the operator to make room.";
  return serviceError("STORE_FULL", message, { ...retryAfter(30), cause });
}
