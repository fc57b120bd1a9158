import { requestCoding } from "../../http/content/coding.ts";
import { isUtf8, mediaTypeOf } from "../../http/content/media-type.ts";
import { payloadTooLarge, unsupportedMediaType } from "../../http/error-response.ts";
import type { Exchange } from "../../http/exchange/exchange.ts";
import { InvalidInput } from "../../http/invalid-input.ts";
import type { Route } from "../path/route.ts";

const json = "application/json";
const mergePatch = "application/merge-patch+json";
const forPatch = `${json}, ${mergePatch}`;

/** Returns the headers of a response to OPTIONS (RFC 9110, section 9.3.7; RFC 5789, section 3.1). */
export function optionsHeaders(allow: string): Readonly<Record<string, string>> {
  return /\bPATCH\b/.test(allow) ? { allow, "accept-patch": forPatch } : { allow };
}

/** Checks that a Content-Type is JSON, or for PATCH a merge patch (RFC 7396). Without one, it is JSON. @throws HttpFailure 415 */
function checkMediaType(request: Exchange): void {
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

/** Checks the headers of a request that may have a body. @throws HttpFailure 415 or 413; InvalidInput when the route takes none */
export function checkBodyHeaders(
  { bodyReader }: Pick<Route, "bodyReader">,
  request: Exchange,
  maxBytes: number,
): void {
  const declared = request.declaredLength;
  if (!bodyReader && declared !== undefined) throw unusedBody();
  if (bodyReader && !bodyReader.raw) checkMediaType(request);
  // An unknown coding is refused before the body is read.
  requestCoding(request.headers["content-encoding"]);
  if (declared !== undefined && declared > maxBytes) throw payloadTooLarge(maxBytes);
}

export function unusedBody(): InvalidInput {
  return new InvalidInput("must be empty: this operation takes no body", "request body");
}
