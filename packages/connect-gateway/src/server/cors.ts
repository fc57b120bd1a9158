import { cors } from "@connectrpc/connect";
import { errorReasonHeader } from "../http/error-response.ts";
import type { Exchange } from "../http/exchange/exchange.ts";
import { timeoutHeaderNames } from "../http/timeout-headers.ts";

/** How long a browser may cache the response to a preflight, in seconds. Chromium does not allow more. */
const maxAgeSeconds = 7_200;

const allowedMethods = [...cors.allowedMethods, "PUT", "PATCH", "DELETE", "HEAD"].join(", ");

/** The request headers that pages may send to any service. */
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
    "x-request-id",
    "last-event-id",
    "traceparent",
    "tracestate",
    "baggage",
  ]),
];

/** The response headers of any service that pages may read, except for those that every page may read. */
const exposedHeaders = [
  ...new Set([
    ...cors.exposedHeaders.map((name) => name.toLowerCase()),
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
    "x-request-id",
    errorReasonHeader,
    "link",
    "date",
    "vary",
  ]),
];

/** Lets pages of the allowed origins call the service from a browser (https://fetch.spec.whatwg.org/#http-cors-protocol). */
export interface Cors {
  /** Sets the CORS headers of a response. Call it before the response can be refused. */
  begin(exchange: Exchange): void;
  /** Returns the CORS headers of the response to a request that the parser has rejected, by its origin if it is known. */
  headersFor(origin: string | undefined): Readonly<Record<string, string>>;
  /** Responds to a preflight, which needs no API key. @returns false when the request is not one */
  respond(exchange: Exchange): boolean;
}

export interface CorsOptions {
  /** The allowed origins, or `*` for all; none when empty. */
  readonly origins: readonly string[];
  /** Further headers that pages may send. */
  readonly requestHeaders?: readonly string[];
  /** Further headers of responses that pages may read. */
  readonly responseHeaders?: readonly string[];
}

export function createCors(options: CorsOptions): Cors {
  const { origins, requestHeaders = [], responseHeaders = [] } = options;
  const allowedList = [...allowedHeaders, ...requestHeaders].join(", ");
  const exposedList = [...exposedHeaders, ...responseHeaders].join(", ");
  const all = origins.includes("*");
  const allowed = new Set(origins);
  const isAllowed = (origin: unknown): origin is string =>
    typeof origin === "string" && (all || allowed.has(origin));

  function isPreflight({ method, headers }: Exchange): boolean {
    return method === "OPTIONS" && headers["access-control-request-method"] !== undefined;
  }

  return {
    begin(exchange) {
      if (origins.length === 0) return;
      if (!all) exchange.setHeader("vary", "Origin");
      const { origin } = exchange.headers;
      if (!isAllowed(origin)) return;
      exchange.setHeader("access-control-allow-origin", all ? "*" : origin);
      if (!isPreflight(exchange)) exchange.setHeader("access-control-expose-headers", exposedList);
    },
    headersFor(origin) {
      if (origins.length === 0) return {};
      const vary: Record<string, string> = all ? {} : { vary: "Origin" };
      if (!isAllowed(origin)) return vary;
      return {
        ...vary,
        "access-control-allow-origin": all ? "*" : origin,
        "access-control-expose-headers": exposedList,
      };
    },
    respond(exchange) {
      if (!isPreflight(exchange) || !isAllowed(exchange.headers.origin)) return false;
      exchange.setHeader("access-control-allow-methods", allowedMethods);
      exchange.setHeader("access-control-allow-headers", allowedList);
      exchange.setHeader("access-control-max-age", String(maxAgeSeconds));
      exchange.writeHead(204, {}).end();
      return true;
    },
  };
}
