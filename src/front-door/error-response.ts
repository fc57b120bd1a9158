import type { NodeServerResponse } from "../http/node-http.ts";
import { errorReasonHeader, type HttpError, httpErrorBody } from "../rest/http-error.ts";

/** Header fields that describe the body that will not be sent (RFC 9110, 8), or how to cache it. */
const ofTheAbandonedBody = [
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

/** Keeps browsers from guessing another media type than that of the response. https://fetch.spec.whatwg.org/#x-content-type-options-header */
export const noSniffing = ["X-Content-Type-Options", "nosniff"] as const;

/** An error ready to be sent. */
interface ErrorParts {
  readonly body: string;
  /** Those of the error itself and of its body. */
  readonly headers: Readonly<Record<string, string | number>>;
}

export function errorParts(error: HttpError): ErrorParts {
  const body = httpErrorBody(error);
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

/** Removes from a response not yet begun what was set for another body. Everything else stays. */
export function abandonBody(response: NodeServerResponse): void {
  for (const name of ofTheAbandonedBody) {
    response.removeHeader(name);
  }
}

/**
 * Answers with `error`, keeping the header fields already set. A response that has begun is cut off
 * instead, so that it cannot be taken for a whole one; one that has ended stays as it is.
 */
export function sendError(response: NodeServerResponse, error: HttpError): void {
  if (response.writableEnded) {
    return;
  }
  if (response.headersSent) {
    response.destroy(new Error(error.message));
    return;
  }
  const { body, headers } = errorParts(error);
  abandonBody(response);
  for (const [name, value] of Object.entries(headers)) {
    response.setHeader(name, value);
  }
  response.statusCode = error.status;
  response.end(body);
}
