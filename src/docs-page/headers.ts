import { limitHeaderNames } from "../access/limit-headers.ts";
import type { JsonObject } from "../rest/openapi-json.ts";

type LimitHeaderName = (typeof limitHeaderNames)[number];

const limitHeaders: Readonly<Record<LimitHeaderName, JsonObject>> = {
  "X-RateLimit-Limit": {
    description: "The limit that applies to the caller: that of the minute or that of the day.",
    schema: { type: "integer", minimum: 1 },
    example: 60,
  },
  "X-RateLimit-Remaining": {
    description: "Requests left in the current window.",
    schema: { type: "integer", minimum: 0 },
    example: 59,
  },
  "X-RateLimit-Reset": {
    description: "Unix timestamp at which the limit resets, in seconds.",
    schema: { type: "integer", minimum: 0 },
    example: 1_793_527_261,
  },
  "RateLimit-Policy": {
    description:
      "Both limits: requests (`q`) in a window of so many seconds (`w`). See draft-ietf-httpapi-ratelimit-headers.",
    schema: { type: "string", pattern: '^"minute";q=[0-9]+;w=60, "day";q=[0-9]+;w=86400$' },
    example: '"minute";q=60;w=60, "day";q=1000;w=86400',
  },
  RateLimit: {
    description: "Of both windows: requests left (`r`), and seconds until there are more (`t`).",
    schema: {
      type: "string",
      pattern: '^"minute";r=[0-9]+;t=[0-9]+, "day";r=[0-9]+;t=[0-9]+$',
    },
    example: '"minute";r=59;t=61, "day";r=940;t=51230',
  },
};

/** Every header field that the document tells of, by name: Header Objects. */
export const headers = {
  ...limitHeaders,
  "Retry-After": {
    description: "Whole seconds to wait before the next request.",
    schema: { type: "integer", minimum: 1 },
    example: 24,
  },
  "WWW-Authenticate": {
    description: 'How to authenticate; with `error="invalid_token"` when a key was sent.',
    schema: { type: "string", pattern: '^Bearer realm="inventory"(, error="invalid_token")?$' },
    example: 'Bearer realm="inventory"',
  },
  Allow: {
    description: "The methods that the path answers.",
    schema: { type: "string", pattern: "^[A-Z]+(, [A-Z]+)*$" },
    example: "GET, HEAD, OPTIONS",
  },
  "Accept-Patch": {
    description: "The media types that are understood, when it was the media type.",
    schema: { type: "string" },
    example: "application/json, application/merge-patch+json",
  },
  "Accept-Encoding": {
    description: "The content codings that are understood, when it was the coding.",
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
      "The version of what is told: for `If-Match` and `If-None-Match`. Compressed content has it as a weak one.",
    schema: { type: "string", pattern: '^(W/)?"[0-9]+"$' },
    example: '"1795275628143500"',
  },
  "X-Request-Id": {
    description:
      "The id of the request, in the server's log and in the history: the client's own `X-Request-Id` if it sent a valid one.",
    schema: { type: "string", pattern: "^[!-~]{1,128}$" },
    example: "9f1c0f57-5c0b-4e0c-8f0e-3a5a7a0f9b55",
  },
  "Idempotency-Replayed": {
    description: "The answer is the first one's: the request was made before.",
    schema: { type: "string", const: "true" },
    example: "true",
  },
  Link: {
    description:
      "Where to go on: the next page (`next`), or the operation to use in place of this one (`successor-version`).",
    schema: { type: "string" },
    example: '</v1/inventory>; rel="successor-version"',
  },
} as const satisfies Record<string, JsonObject>;

/** Header of every response. */
export const ofAll = ["X-Request-Id"] as const;

/** Headers that say how the caller stands: of every response to a request that was counted. */
export const ofLimits: readonly LimitHeaderName[] = limitHeaderNames;

/** Headers of every response to a request that was counted. */
export const everyAnswer = [...ofLimits, ...ofAll] as const;

/** Those that the answer to a change may have when it is an error. */
export const ofRefusedChange = ["Idempotency-Replayed"] as const;

/** Those that every answer of a deprecated operation has besides. */
export const ofDeprecated = ["Deprecation", "Sunset", "Link"] as const;
