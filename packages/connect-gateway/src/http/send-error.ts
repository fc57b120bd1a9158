import { settle } from "../call/request-record.ts";
import { cacheIfFrozen } from "./content/cache-by-message.ts";
import { type ErrorResponse, errorBody, errorReasonHeader } from "./error-response.ts";
import type { Exchange } from "./exchange/exchange.ts";

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
] as const;

/** Keeps browsers from guessing a media type (https://fetch.spec.whatwg.org/#x-content-type-options-header). */
export const noSniffing = ["x-content-type-options", "nosniff"] as const;

/** Keeps nginx from buffering a stream (https://nginx.org/en/docs/http/ngx_http_proxy_module.html#proxy_buffering). */
export const unbuffered = ["x-accel-buffering", "no"] as const;

/** Returns the body of an error, its length in bytes, and the headers, by name in lower case. */
export const writtenError = cacheIfFrozen((error: ErrorResponse) => {
  const body = errorBody(error);
  const length = Buffer.byteLength(body);
  const headers = {
    "content-type": "application/json",
    ...error.headers,
    [noSniffing[0]]: noSniffing[1],
    [errorReasonHeader]: error.reason,
    "content-length": String(length),
  };
  return { body, length, headers };
});

/** Removes the headers that were set for a body that will not be sent. Keeps all other headers. */
export function removeBodyHeaders(response: Exchange): void {
  for (const name of bodyHeaders) response.removeHeader(name);
}

/** Sends an error as the response. Keeps headers that were set before. Does nothing when a response has begun. */
export function sendError(response: Exchange, error: ErrorResponse): void {
  if (response.headersSent) return;
  const { body, length, headers } = writtenError(error);
  response.writeHead(error.status, headers);
  endWithText(response, body, length);
  settle(response.record, "http", error.status, error.reason);
}

/** Ends a response with a text, unless the request is HEAD. @param bytes length of the text as UTF-8 */
export function endWithText(response: Exchange, text: string, bytes: number): void {
  if (response.method === "HEAD") response.end();
  // If each character is one byte, latin1 sends the same bytes as UTF-8 and needs no conversion.
  else if (text.length === bytes) response.end(text, "latin1");
  else response.end(text);
}
