import type { HttpError } from "./http-error.ts";

/** Thrown where a request can't be served and the status is known. */
export class HttpFailure extends Error {
  readonly error: HttpError;

  constructor(error: HttpError) {
    super(error.message);
    this.error = error;
  }
}

/** 404 for a path that no rule matches. */
export const noSuchPath: HttpError = {
  status: 404,
  reason: "PATH_NOT_FOUND",
  code: "not_found",
  message: "there is nothing at this path",
};

/** 405. @param allow the methods that the path answers, as for the Allow field */
export function methodNotAllowed(allow: string): HttpError {
  return {
    status: 405,
    reason: "METHOD_NOT_ALLOWED",
    code: "method_not_allowed",
    message: `this path does not answer that method; use one of ${allow}`,
    headers: { allow },
  };
}

/** 413. @param maxBytes the most that would have been read */
export function payloadTooLarge(maxBytes: number): HttpFailure {
  return new HttpFailure({
    status: 413,
    reason: "MESSAGE_TOO_LARGE",
    code: "payload_too_large",
    message: `the request body is larger than ${maxBytes} bytes`,
  });
}

/**
 * 415.
 *
 * @param headers what would be accepted: Accept, Accept-Patch or Accept-Encoding
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
