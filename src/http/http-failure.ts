import type { ErrorResponse } from "./error-response.ts";

/** An error with a known HTTP status. */
export class HttpFailure extends Error {
  readonly error: ErrorResponse;

  constructor(error: ErrorResponse) {
    super(error.message);
    this.error = error;
  }
}

/** 404 for a path that no rule matches. */
export const noSuchPath: ErrorResponse = {
  status: 404,
  reason: "PATH_NOT_FOUND",
  code: "not_found",
  message: "No resource exists at this path. Check the URL.",
};

/** 405. @param allow the methods that the path supports, as in the Allow header */
export function methodNotAllowed(allow: string): ErrorResponse {
  return {
    status: 405,
    reason: "METHOD_NOT_ALLOWED",
    code: "method_not_allowed",
    message: `This path does not support the method of the request. Use one of ${allow}.`,
    headers: { allow },
  };
}

/** 413. @param maxBytes the largest allowed body, in bytes */
export function payloadTooLarge(maxBytes: number): HttpFailure {
  return new HttpFailure({
    status: 413,
    reason: "MESSAGE_TOO_LARGE",
    code: "payload_too_large",
    message: `The request body must not be larger than ${maxBytes} bytes.`,
  });
}

/**
 * 415.
 *
 * @param headers the Accept, Accept-Patch or Accept-Encoding header with what the path accepts
 */
export function unsupportedMediaType(
  message: string,
  headers: Readonly<Record<string, string>>,
): HttpFailure {
  return new HttpFailure({
    status: 415,
    reason: "UNSUPPORTED_MEDIA_TYPE",
    code: "unsupported_media_type",
    message,
    headers,
  });
}
