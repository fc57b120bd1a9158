import type { ErrorResponse } from "./error-response.ts";
import { httpError } from "./error-response.ts";

/** An error with a known HTTP status. */
export class HttpFailure extends Error {
  readonly error: ErrorResponse;

  constructor(error: ErrorResponse) {
    super(error.message);
    this.error = error;
  }
}

/** 404 for a path that no rule matches. */
export const noSuchPath = httpError(
  "PATH_NOT_FOUND",
  "No resource exists at this path. Check the URL.",
);

/** 405. @param allow the methods that the path supports, as in the Allow header */
export function methodNotAllowed(allow: string): ErrorResponse {
  const message = `This path does not support the method of the request. Use one of ${allow}.`;
  return httpError("METHOD_NOT_ALLOWED", message, { allow });
}

/** 413. @param maxBytes the largest allowed body, in bytes */
export function payloadTooLarge(maxBytes: number): HttpFailure {
  const message = `The request body must not be larger than ${maxBytes} bytes.`;
  return new HttpFailure(httpError("MESSAGE_TOO_LARGE", message));
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
  return new HttpFailure(httpError("UNSUPPORTED_MEDIA_TYPE", message, headers));
}
