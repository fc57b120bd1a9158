import type { ConnectError } from "@connectrpc/connect";
import { abridge } from "../call/quote.ts";

/** Returns the details that an error should have and does not; empty for an error that the service has made. */
export type MissingDetails = (error: ConnectError) => ConnectError["details"];

/**
 * The longest message of an error that the service has not made, in characters. Such a message can quote the request. gRPC
 * sends it in a header, with up to 9 bytes a character, and many clients accept only 8 KiB of headers.
 */
const longestMessage = 500;

/**
 * Adds missing details to an error and makes its message safe to send. Leaves an error that has its details unchanged: the
 * service has made it, and it may be frozen.
 *
 * @returns whether details were missing
 */
export function addMissingDetails(error: ConnectError, missingDetails: MissingDetails): boolean {
  const missing = missingDetails(error);
  if (missing.length === 0) return false;
  const { rawMessage } = error;
  // gRPC cannot encode a lone surrogate.
  const sent = abridge(rawMessage, longestMessage).toWellFormed();
  if (sent !== rawMessage) Object.assign(error, { rawMessage: sent });
  for (const detail of missing) error.details.push(detail);
  return true;
}
