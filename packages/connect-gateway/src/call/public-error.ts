import { Code, ConnectError } from "@connectrpc/connect";
import { callError } from "./call-error.ts";

/** The message of every error that is a bug. */
export const internalErrorMessage = "Internal error. The server log has the details.";

/**
 * Returns the error that the caller may see. An error that is not a ConnectError is a bug: the caller gets a generic
 * message instead.
 *
 * @param onFault called with every bug
 */
export function publicError(error: unknown, onFault: (error: unknown) => void): ConnectError {
  if (error instanceof ConnectError) {
    return error;
  }
  onFault(error);
  return callError(internalErrorMessage, Code.Internal);
}
