import { cors } from "@connectrpc/connect";
import { limitHeaderNames } from "../access/admission/admission.ts";
import { changeOutcomeHeader, errorReasonHeader } from "../http/error-response.ts";
import type { NodeServerRequest, NodeServerResponse } from "../http/exchange/node-http.ts";

/** How long a browser may cache the response to a preflight, in seconds. Chromium does not allow more. */
const maxAgeSeconds = 7_200;

const allowedMethods = [...cors.allowedMethods, "PUT", "PATCH", "DELETE", "HEAD"].join(", ");
const allowedHeaders = [
  ...cors.allowedHeaders,
  "Authorization",
  "If-None-Match",
  "If-Match",
  "Idempotency-Key",
  "X-Request-Id",
  "Last-Event-ID",
].join(", ");
const exposedHeaders = [
  ...cors.exposedHeaders,
  ...limitHeaderNames,
  "Retry-After",
  "WWW-Authenticate",
  "Allow",
  "Accept-Patch",
  "ETag",
  "Idempotency-Replayed",
  "X-Request-Id",
  errorReasonHeader,
  changeOutcomeHeader,
  "Deprecation",
  "Sunset",
  "Link",
].join(", ");

/**
 * Sets the CORS headers of a response (https://fetch.spec.whatwg.org/#http-cors-protocol), so that pages of the allowed
 * origins can call the service from a browser.
 *
 * @returns true when the request was a preflight and the response was sent. A preflight needs no API key
 */
export type Cors = (request: NodeServerRequest, response: NodeServerResponse) => boolean;

/** @param origins the allowed origins, or `*` for all; none when empty */
export function createCors(origins: readonly string[]): Cors {
  if (origins.length === 0) {
    return () => false;
  }
  const all = origins.includes("*");
  const allowed = new Set(origins);

  return (request, response) => {
    const { origin } = request.headers;
    if (!all) {
      response.setHeader("Vary", "Origin");
    }
    if (typeof origin !== "string" || !(all || allowed.has(origin))) {
      return false;
    }
    response.setHeader("Access-Control-Allow-Origin", all ? "*" : origin);
    if (
      request.method !== "OPTIONS" ||
      request.headers["access-control-request-method"] === undefined
    ) {
      response.setHeader("Access-Control-Expose-Headers", exposedHeaders);
      return false;
    }
    response.setHeader("Access-Control-Allow-Methods", allowedMethods);
    response.setHeader("Access-Control-Allow-Headers", allowedHeaders);
    response.setHeader("Access-Control-Max-Age", String(maxAgeSeconds));
    response.statusCode = 204;
    response.end();
    return true;
  };
}
