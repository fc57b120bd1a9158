import { requestCoding } from "../../http/content/content-coding.ts";
import { isUtf8, mediaTypeOf } from "../../http/content/media-type.ts";
import type { NodeServerRequest, NodeServerResponse } from "../../http/exchange/node-http.ts";
import { readBody } from "../../http/exchange/read-body.ts";
import { payloadTooLarge, unsupportedMediaType } from "../../http/http-failure.ts";
import { InvalidInput } from "../../http/invalid-input.ts";
import type { Route } from "../path/route.ts";
import type { HttpHeaders } from "../response/send.ts";

const json = "application/json";
const mergePatch = "application/merge-patch+json";
const forPatch = `${json}, ${mergePatch}`;

/**
 * Returns the headers of a response to OPTIONS (RFC 9110, section 9.3.7; RFC 5789, section 3.1).
 *
 * @param allow value of the Allow header
 */
export function optionsHeaders(allow: string): HttpHeaders {
  return /\bPATCH\b/.test(allow) ? { allow, "accept-patch": forPatch } : { allow };
}

/**
 * Checks that the Content-Type of a request is JSON. A body without one is read as JSON. Only PATCH accepts
 * a JSON merge patch (RFC 7396).
 *
 * @throws HttpFailure 415
 */
function checkMediaType(request: NodeServerRequest): void {
  const header = request.headers["content-type"];
  if (!header) return;
  const type = mediaTypeOf(header);
  const isPatch = request.method === "PATCH";
  const fits = type?.essence === json || (isPatch && type?.essence === mergePatch);
  if (fits && isUtf8(type)) return;
  throw isPatch
    ? unsupportedMediaType(`The request body must be ${json} or ${mergePatch} in UTF-8.`, {
        "accept-patch": forPatch,
      })
    : unsupportedMediaType(`The request body must be ${json} in UTF-8.`, { accept: json });
}

const nothing = new Uint8Array(0);

/**
 * Reads the body of a request, which may have a content coding.
 *
 * @param maxBytes the largest body
 * @returns the body; empty when there is none
 * @throws HttpFailure 415 or 413
 * @throws InvalidInput when the route takes no body
 */
export function readRequestBody(
  { bodyReader }: Pick<Route, "bodyReader">,
  response: NodeServerResponse,
  maxBytes: number,
): Promise<Uint8Array> | Uint8Array {
  const request = response.req;
  const declared = request.declaredLength;
  if (declared === 0) return nothing;
  if (!bodyReader && declared !== undefined) throw unusedBody();
  if (bodyReader && !bodyReader.raw) checkMediaType(request);
  // An unknown coding is refused before the body is read.
  requestCoding(request.headers["content-encoding"]);
  if (declared !== undefined && declared > maxBytes) throw payloadTooLarge(maxBytes);
  return readBody(response, maxBytes, () => payloadTooLarge(maxBytes));
}

/** Returns the error for a request body where the route takes none. */
export function unusedBody(): InvalidInput {
  return new InvalidInput("must be empty: this operation takes no body", "request body");
}
