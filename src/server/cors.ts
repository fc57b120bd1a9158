import { cors } from "@connectrpc/connect";
import { limitHeaderNames } from "../access/admission/admission.ts";
import { changeOutcomeHeader, errorReasonHeader } from "../http/error-response.ts";
import type { NodeServerRequest, NodeServerResponse } from "../http/exchange/node-http.ts";
import { timeoutHeaderNames } from "../http/timeout-headers.ts";

/** How long a browser may cache the response to a preflight, in seconds. Chromium does not allow more. */
const maxAgeSeconds = 7_200;

const allowedMethods = [...cors.allowedMethods, "PUT", "PATCH", "DELETE", "HEAD"].join(", ");

/** The request headers that pages may send: all that the service or its documentation reads. */
const allowedHeaders = [
  ...new Set([
    ...cors.allowedHeaders.map((name) => name.toLowerCase()),
    ...timeoutHeaderNames,
    "grpc-encoding",
    "grpc-accept-encoding",
    "accept",
    "authorization",
    "if-none-match",
    "if-match",
    "idempotency-key",
    "x-request-id",
    "last-event-id",
    "traceparent",
    "tracestate",
    "baggage",
  ]),
].join(", ");

/** The response headers that pages may read: all that the service sends, except for those that every page may read. */
const exposedHeaders = [
  ...new Set([
    ...cors.exposedHeaders.map((name) => name.toLowerCase()),
    ...limitHeaderNames,
    "grpc-encoding",
    "grpc-accept-encoding",
    "grpc-retry-pushback-ms",
    "connect-accept-encoding",
    "accept-encoding",
    "retry-after",
    "www-authenticate",
    "allow",
    "accept-patch",
    "etag",
    "idempotency-replayed",
    "x-request-id",
    errorReasonHeader,
    changeOutcomeHeader,
    "deprecation",
    "sunset",
    "link",
    "date",
    "vary",
  ]),
].join(", ");

/**
 * Lets pages of the allowed origins call the service from a browser
 * (https://fetch.spec.whatwg.org/#http-cors-protocol).
 */
export interface Cors {
  /** Sets the CORS headers of a response. Call it before the response can be refused. */
  begin(request: NodeServerRequest, response: NodeServerResponse): void;
  /**
   * Returns the CORS headers of the response to a request that has no response object.
   *
   * @param origin its Origin header, if it is known
   */
  headersFor(origin: string | undefined): Readonly<Record<string, string>>;
  /** Responds to a preflight, which needs no API key. @returns false when the request is not one */
  respond(request: NodeServerRequest, response: NodeServerResponse): boolean;
}

/** @param origins the allowed origins, or `*` for all; none when empty */
export function createCors(origins: readonly string[]): Cors {
  const all = origins.includes("*");
  const allowed = new Set(origins);
  const isAllowed = (origin: unknown): origin is string =>
    typeof origin === "string" && (all || allowed.has(origin));

  function isPreflight({ method, headers }: NodeServerRequest): boolean {
    return method === "OPTIONS" && headers["access-control-request-method"] !== undefined;
  }

  return {
    begin(request, response) {
      if (origins.length === 0) return;
      if (!all) response.setHeader("Vary", "Origin");
      const { origin } = request.headers;
      if (!isAllowed(origin)) return;
      response.setHeader("Access-Control-Allow-Origin", all ? "*" : origin);
      if (isPreflight(request)) return;
      response.setHeader("Access-Control-Expose-Headers", exposedHeaders);
    },
    headersFor(origin) {
      if (origins.length === 0) return {};
      const vary: Record<string, string> = all ? {} : { vary: "Origin" };
      if (!isAllowed(origin)) return vary;
      return {
        ...vary,
        "access-control-allow-origin": all ? "*" : origin,
        "access-control-expose-headers": exposedHeaders,
      };
    },
    respond(request, response) {
      if (!isPreflight(request) || !isAllowed(request.headers.origin)) return false;
      response.setHeader("Access-Control-Allow-Methods", allowedMethods);
      response.setHeader("Access-Control-Allow-Headers", allowedHeaders);
      response.setHeader("Access-Control-Max-Age", String(maxAgeSeconds));
      response.statusCode = 204;
      response.end();
      return true;
    },
  };
}
