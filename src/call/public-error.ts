import { Code, ConnectError } from "@connectrpc/connect";

/**
 * An error as a caller may see it. What is no ConnectError is a bug, of which the caller learns nothing.
 *
 * @param onFault told of every bug
 */
export function publicError(error: unknown, onFault: (error: unknown) => void): ConnectError {
  if (error instanceof ConnectError) {
    return error;
  }
  onFault(error);
  return new ConnectError("internal error", Code.Internal);
}
