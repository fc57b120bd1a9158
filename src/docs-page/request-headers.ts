import type { JsonObject } from "../rest/openapi-json.ts";

/** Without an example: the reference page would send it with every request that is tried there. */
function requestHeader(name: string, description: string, pattern?: string): JsonObject {
  return { name, in: "header", description, schema: { type: "string", pattern } };
}

const entityTag = '(W/)?"[!#-~]*"';

const requestId = requestHeader(
  "X-Request-Id",
  "An id of the client's own for the request: the answer and the history tell it. 1 to 128 visible ASCII characters; any other is replaced.",
);

const ifMatch = requestHeader(
  "If-Match",
  'Entity tags such as `"1795275628143500"`, one of which the item must have: otherwise somebody has changed it, and the answer is 412.',
  String.raw`^(\*|${entityTag}([ \t]*,[ \t]*${entityTag}){0,99})$`,
);

const idempotencyKey = requestHeader(
  "Idempotency-Key",
  "Names the request, in quotes or not: for 24 hours a repetition changes nothing and is answered as the first was. 1 to 255 visible ASCII characters, chosen anew for each request, such as `delivery-17`.",
  String.raw`^([!#-~][!-~]{0,254}|"([!#-\[\]-~]|\\["\\]){1,255}")$`,
);

/** What a request can say that changes one item. */
export const ofItemChange: readonly JsonObject[] = [ifMatch, idempotencyKey, requestId];

/** What a request can say that changes several items. */
export const ofBatchChange: readonly JsonObject[] = [idempotencyKey, requestId];

/** What a request can say for a stream that goes on. */
export const ofWatch: readonly JsonObject[] = [
  requestHeader(
    "Last-Event-ID",
    "The last resume token, in place of `resumeToken`: browsers send it when they connect again.",
  ),
];

/** What a request can say that reads what has a version. */
export const ofVersionedRead: readonly JsonObject[] = [
  requestHeader(
    "If-None-Match",
    'Entity tags such as `"1795275628143500"` that the client has: where one of them is still right, the answer is 304.',
  ),
];
