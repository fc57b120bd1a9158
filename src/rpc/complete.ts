import type { ConnectError } from "@connectrpc/connect";

/**
 * Longest message of an error that is not made by the service, in characters: it can quote a request. gRPC
 * sends it in a header, with up to 9 characters for each, and many clients take 8 KiB of headers.
 */
const longestMessage = 500;

/**
 * Adds missing details to an error, and makes its message safe to send. An error that has its details is
 * not touched: the service made it, and it may be frozen.
 *
 * @returns whether it lacked any
 */
export function complete(
  error: ConnectError,
  missingDetails: (error: ConnectError) => ConnectError["details"],
): boolean {
  const missing = missingDetails(error);
  if (missing.length === 0) return false;
  const { rawMessage } = error;
  const isLong = rawMessage.length > longestMessage;
  if (isLong || !rawMessage.isWellFormed()) {
    // gRPC cannot encode half of a surrogate pair.
    const sent = rawMessage.slice(0, longestMessage).toWellFormed();
    Object.assign(error, { rawMessage: isLong ? `${sent}…` : sent });
  }
  error.details.push(...missing);
  return true;
}
