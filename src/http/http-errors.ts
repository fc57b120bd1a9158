import type { ErrorResponse } from "./error-response.ts";

/**
 * The errors that only HTTP has, by reason: the status, the code, and when the error occurs. If no RPC code matches the
 * status, the code is another word.
 */
export const httpErrors = {
  PATH_NOT_FOUND: [404, "not_found", "The path does not exist."],
  METHOD_NOT_ALLOWED: [
    405,
    "method_not_allowed",
    "The path does not support the method. `Allow` lists those that it does.",
  ],
  REQUEST_TIMEOUT: [408, "deadline_exceeded", "The request took too long to arrive."],
  OPERATION_ENDED: [410, "gone", "The operation has passed its sunset date."],
  MESSAGE_TOO_LARGE: [
    413,
    "payload_too_large",
    "The body is larger than `MAX_BODY_BYTES`, or `MAX_BATCH_BODY_BYTES` for a batch.",
  ],
  UNSUPPORTED_MEDIA_TYPE: [
    415,
    "unsupported_media_type",
    "The media type or content coding of the body is not supported.",
  ],
  EXPECTATION_FAILED: [
    417,
    "expectation_failed",
    "`Expect` has another value than `100-continue`.",
  ],
  HEADER_FIELDS_TOO_LARGE: [
    431,
    "header_fields_too_large",
    "The headers are larger than `MAX_HEADER_BYTES`.",
  ],
} as const satisfies Record<string, readonly [status: number, code: string, when: string]>;

/** The reasons of errors that only HTTP has. */
export type HttpReason = keyof typeof httpErrors;

/** Makes an error that only HTTP has. @param headers its headers, by name in lower case */
export function httpError(
  reason: HttpReason,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): ErrorResponse {
  const [status, code] = httpErrors[reason];
  return { status, reason, code, message, headers };
}
