import { Code, ConnectError } from "@connectrpc/connect";
import { callError } from "./call-error.ts";

/** The message of every error that is a bug. */
export const internalErrorMessage = "Internal error. The server log has the details.";

/** The error of a call whose own error cannot be sent. No function of the service's author is called for it. */
export const lastResort = Object.freeze(callError(internalErrorMessage, Code.Internal));

/** Returns whether an error can be sent: a ConnectError whose code is one of the protocols. */
export function isPublic(error: unknown): error is ConnectError {
  if (!(error instanceof ConnectError)) return false;
  const { code } = error;
  return Number.isInteger(code) && code >= Code.Canceled && code <= Code.Unauthenticated;
}

/** Returns the error that the caller may see: a generic one for a bug. @param onFault called with every bug */
export function publicError(error: unknown, onFault: (error: unknown) => void): ConnectError {
  if (isPublic(error)) return error;
  // Such as that of a mapping of errors by an async function.
  if (error instanceof Promise)
    error.then(() => onFault(new TypeError("a promise is no error")), onFault);
  else if (error instanceof ConnectError) {
    const message = `the code of a ConnectError must be an integer from 1 to 16, not ${String(error.code)}`;
    onFault(new RangeError(message, { cause: error }));
  } else onFault(error);
  return callError(internalErrorMessage, Code.Internal, { cause: error });
}
