import { Code, ConnectError } from "@connectrpc/connect";

/**
 * The error for a message that is larger than the server takes, in the words that Connect has for it.
 *
 * @param size of the message in bytes; undefined when it is not known
 * @param maxBytes the most that a message can have
 */
export function messageTooLarge(size: number | undefined, maxBytes: number): ConnectError {
  const known = size === undefined ? "" : ` ${size}`;
  return new ConnectError(
    `message size${known} is larger than configured readMaxBytes ${maxBytes}`,
    Code.ResourceExhausted,
  );
}
