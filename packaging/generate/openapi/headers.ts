import { limitHeaderNames } from "../../../src/admission/limit-headers.ts";
import type { JsonObject } from "./generator/json.ts";

type LimitHeaderName = (typeof limitHeaderNames)[number];

/** All response headers of the document by name, as Header Objects. */
export const headers = {
  "X-RateLimit-Limit": {
    description: "The limit of the window, minute or day, with fewer requests left.",
    schema: { type: "integer", minimum: 1 },
    example: 60,
  },
  "X-RateLimit-Remaining": {
    description: "Requests left in that window.",
    schema: { type: "integer", minimum: 0 },
    example: 59,
  },
  "X-RateLimit-Reset": {
    description:
      "When that window is empty again if no more requests arrive, as a Unix timestamp in seconds.",
    schema: { type: "integer", minimum: 0 },
    example: 1_793_527_261,
  },
  "RateLimit-Policy": {
    description:
      "Both limits: requests (`q`) per window of `w` seconds. See draft-ietf-httpapi-ratelimit-headers.",
    schema: { type: "string", pattern: '^"minute";q=[0-9]+;w=60, "day";q=[0-9]+;w=86400$' },
    example: '"minute";q=60;w=60, "day";q=1000;w=86400',
  },
  RateLimit: {
    description: "For both windows: requests left (`r`) and seconds until `r` grows (`t`).",
    schema: {
      type: "string",
      pattern: '^"minute";r=[0-9]+;t=[0-9]+, "day";r=[0-9]+;t=[0-9]+$',
    },
    example: '"minute";r=59;t=61, "day";r=940;t=51230',
  },
  "Retry-After": {
    description: "Whole seconds to wait before the next request.",
    schema: { type: "integer", minimum: 1 },
    example: 24,
  },
  "X-Change-Outcome": {
    description:
      "Whether the change of the request may have been made. `unchanged`: it was not made. `unknown`: it may have been made.",
    schema: { type: "string", enum: ["unchanged", "unknown"] },
    example: "unknown",
  },
  "WWW-Authenticate": {
    description:
      'How to authenticate. It contains `error="invalid_token"` if the request had a key.',
    schema: { type: "string", pattern: '^Bearer realm="inventory"(, error="invalid_token")?$' },
    example: 'Bearer realm="inventory"',
  },
  Allow: {
    description: "The methods of the path.",
    schema: { type: "string", pattern: "^[A-Z]+(, [A-Z]+)*$" },
    example: "GET, HEAD, OPTIONS",
  },
  "Accept-Patch": {
    description: "The supported media types, if the media type of the request is not one of them.",
    schema: { type: "string" },
    example: "application/json, application/merge-patch+json",
  },
  "Accept-Encoding": {
    description:
      "The supported content codings, if the content coding of the request is not one of them.",
    schema: { type: "string" },
    example: "zstd, br, gzip",
  },
  Deprecation: {
    description: "When the operation was deprecated (RFC 9745).",
    schema: { type: "string", pattern: "^@[0-9]+$" },
    example: "@1793491200",
  },
  Sunset: {
    description: "When the operation ends (RFC 8594).",
    schema: { type: "string", pattern: "^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), [0-9]{2} .* GMT$" },
    example: "Fri, 31 Dec 2027 00:00:00 GMT",
  },
  ETag: {
    description:
      "The version of the content, for `If-Match` and `If-None-Match`. Compressed content has a weak entity tag.",
    schema: { type: "string", pattern: '^(W/)?"[0-9]+"$' },
    example: '"1795275628143500"',
  },
  "X-Request-Id": {
    description:
      "The id of the request in the server log and in the history. If the request has a valid `X-Request-Id`, it is the same.",
    schema: { type: "string", pattern: "^[!-~]{1,128}$" },
    example: "9f1c0f575c0b4e0c8f0e3a5a7a0f9b55",
  },
  "Idempotency-Replayed": {
    description: "The request is a repetition, and this is the response to the first one.",
    schema: { type: "string", const: "true" },
    example: "true",
  },
  Link: {
    description:
      "The URL of the next page (`next`), or of the operation that replaces this one (`successor-version`).",
    schema: { type: "string" },
    example: '</v1/inventory>; rel="successor-version"',
  },
} as const satisfies Record<string, JsonObject> & Record<LimitHeaderName, JsonObject>;

/** Header of every response. */
export const ofAll = ["X-Request-Id"] as const;

/** Rate limit headers of every response to a counted request. */
export const ofLimits: readonly LimitHeaderName[] = limitHeaderNames;

/** All headers of every response to a counted request. */
export const everyResponse = [...ofLimits, ...ofAll] as const;

/** Headers that an error response to a change can have. */
export const ofFailedChange = ["Idempotency-Replayed"] as const;

/** Headers that every response of a deprecated operation has in addition. */
export const ofDeprecated = ["Deprecation", "Sunset", "Link"] as const;
