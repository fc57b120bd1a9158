import { Code, type ConnectError } from "@connectrpc/connect";
import { callError } from "../../call/call-error.ts";

/**
 * Makes the error for a message over the size limit, with Connect's wording: resource_exhausted.
 *
 * @param size of the message in bytes; undefined when it is not known
 * @param maxBytes the limit
 */
export function messageTooLarge(size: number | undefined, maxBytes: number): ConnectError {
  const known = size === undefined ? "" : ` ${size}`;
  return callError(
    `message size${known} is larger than configured readMaxBytes ${maxBytes}`,
    Code.ResourceExhausted,
  );
}
