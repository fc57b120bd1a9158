import type { ConnectError } from "@connectrpc/connect";

/**
 * Adds to an error the details that it lacks. One that lacks none is not touched: it may be frozen.
 *
 * @returns whether it lacked any
 */
export function complete(
  error: ConnectError,
  missingDetails: (error: ConnectError) => ConnectError["details"],
): boolean {
  const missing = missingDetails(error);
  if (missing.length === 0) return false;
  error.details.push(...missing);
  return true;
}
