import type { JsonObject } from "./generator/json.ts";

/** Has no example, because the reference page would send it with every request that a user tries. */
function requestHeader(name: string, description: string, pattern?: string): JsonObject {
  return { name, in: "header", description, schema: { type: "string", pattern } };
}

const entityTag = '(W/)?"[!#-~]*"';

/** `*` or a list of at most 100 entity tags, which may be empty and have empty elements (RFC 9110, section 5.6.1.2). */
const entityTags = String.raw`^(\*|[ \t,]*(${entityTag}([ \t]*,[ \t,]*${entityTag}){0,99}[ \t,]*)?)$`;

const requestId = requestHeader(
  "X-Request-Id",
  "An id for the request, which appears in the response and in the history. 1 to 128 visible ASCII characters; the server replaces any other value.",
);

const ifMatch = requestHeader(
  "If-Match",
  'Entity tags such as `"1795275628143500"`, one of which the item must have. If another client has changed the item, the response is 412.',
  entityTags,
);

const ifNoneMatch = requestHeader(
  "If-None-Match",
  'Entity tags such as `"1795275628143500"`, none of which the item may have. With `*`, or if the item has one of them, the response is 412.',
  entityTags,
);

const idempotencyKey = requestHeader(
  "Idempotency-Key",
  "Identifies the request, with or without quotes. For 24 hours, a repetition changes nothing and gets the response to the first request. 1 to 255 visible ASCII characters, such as `delivery-17`. Use a new key for each request.",
  String.raw`^([!#-~][!-~]{0,254}|"([!#-\[\]-~]|\\["\\]){1,255}")$`,
);

export const ofItemChange: readonly JsonObject[] = [
  ifMatch,
  ifNoneMatch,
  idempotencyKey,
  requestId,
];

/** Headers of any other request that an idempotency key can make safe to repeat. */
export const ofKeyedChange: readonly JsonObject[] = [idempotencyKey, requestId];

export const ofHold: readonly JsonObject[] = [
  requestHeader(
    "If-None-Match",
    "With `*`, the response is 412 if the hold is active.",
    String.raw`^\*$`,
  ),
  requestId,
];

/** Headers of a change that needs no idempotency key. */
export const ofPlainChange: readonly JsonObject[] = [requestId];

/** Headers of a request that reads content with a version. */
export const ofVersionedRead: readonly JsonObject[] = [
  requestHeader(
    "If-None-Match",
    'Entity tags such as `"1795275628143500"` of content that the client has. If one of them is current, the response is 304. Any other value is ignored.',
  ),
];
