import { Code, type ConnectError } from "@connectrpc/connect";
import { callError } from "../../call/call-error.ts";

/** Makes the error for a message over the size limit, with Connect's wording. @param size in bytes, if it is known */
export function messageTooLarge(size: number | undefined, maxBytes: number): ConnectError {
  const known = size === undefined ? "" : ` ${size}`;
  return callError(
    `message size${known} is larger than configured readMaxBytes ${maxBytes}`,
    Code.ResourceExhausted,
  );
}
