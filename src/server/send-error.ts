import { settle } from "../call/request-record.ts";
import { type ErrorResponse, errorBody, errorReasonHeader } from "../http/error-response.ts";
import type { NodeServerResponse } from "../http/exchange/node-http.ts";

/** Headers that describe a body (RFC 9110, section 8), or how to cache it. */
const bodyHeaders = [
  "cache-control",
  "content-encoding",
  "content-language",
  "content-location",
  "content-range",
  "etag",
  "expires",
  "last-modified",
  "trailer",
  "transfer-encoding",
];

/**
 * Keeps browsers from guessing another media type than that of the response
 * (https://fetch.spec.whatwg.org/#x-content-type-options-header).
 */
export const noSniffing = ["X-Content-Type-Options", "nosniff"] as const;

/** The body and the headers of an error response. */
interface ErrorParts {
  readonly body: string;
  /** The headers of the error and of its body, by name in lower case. */
  readonly headers: Readonly<Record<string, string | number>>;
}

export function errorParts(error: ErrorResponse): ErrorParts {
  const body = errorBody(error);
  return {
    body,
    headers: {
      ...error.headers,
      [noSniffing[0].toLowerCase()]: noSniffing[1],
      [errorReasonHeader]: error.reason,
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
    },
  };
}

/** Removes the headers that were set for a body that will not be sent. Keeps all other headers. */
export function removeBodyHeaders(response: NodeServerResponse): void {
  for (const name of bodyHeaders) {
    response.removeHeader(name);
  }
}

/**
 * Sends an error as the response. Keeps headers that were set before. Aborts a response that has begun, so that the
 * client sees that it is incomplete. Does nothing when the response has ended.
 */
export function sendError(response: NodeServerResponse, error: ErrorResponse): void {
  if (response.writableEnded) {
    return;
  }
  if (response.headersSent) {
    response.destroy(new Error(error.message));
    return;
  }
  const { body, headers } = errorParts(error);
  removeBodyHeaders(response);
  for (const [name, value] of Object.entries(headers)) {
    response.setHeader(name, value);
  }
  settle(response.record, "http", error.status, error.reason);
  response.statusCode = error.status;
  response.end(body);
}
