import { declaredLength } from "../http/leave-body.ts";
import type { NodeServerRequest, NodeServerResponse } from "../http/node-http.ts";
import { readBody } from "../http/read-body.ts";
import { decompress, requestCoding } from "./content-coding.ts";
import type { HeaderFields } from "./exchange.ts";
import { payloadTooLarge, unsupportedMediaType } from "./http-failure.ts";
import { InvalidInput } from "./invalid-input.ts";
import { parseMediaType } from "./media-type.ts";
import type { Route } from "./route.ts";

const json = "application/json";
const mergePatch = "application/merge-patch+json";
const forPatch = `${json}, ${mergePatch}`;

/**
 * Header fields for OPTIONS (RFC 9110, section 9.3.7; RFC 5789, section 3.1).
 *
 * @param allow the methods that the path answers, as for the Allow field
 */
export function optionsFields(allow: string): HeaderFields {
  return /\bPATCH\b/.test(allow) ? { allow, "accept-patch": forPatch } : { allow };
}

/**
 * Checks that a request body is JSON, by its Content-Type; without one it is taken to be. A JSON merge
 * patch (RFC 7396) is one only with PATCH.
 *
 * @throws HttpFailure 415
 */
function checkMediaType(request: NodeServerRequest): void {
  const field = request.headers["content-type"];
  if (!field) return;
  const type = parseMediaType(field);
  const isPatch = request.method === "PATCH";
  const fits = type?.essence === json || (isPatch && type?.essence === mergePatch);
  if (fits && (type.charset ?? "utf-8") === "utf-8") return;
  throw isPatch
    ? unsupportedMediaType(`the request body must be ${json} or ${mergePatch} in UTF-8`, {
        "accept-patch": forPatch,
      })
    : unsupportedMediaType(`the request body must be ${json} in UTF-8`, { accept: json });
}

const nothing = new Uint8Array(0);

/**
 * Takes a request's body for a route.
 *
 * @param maxBytes the most to read, and to decompress to
 * @returns the body, decompressed; empty when there is none
 * @throws HttpFailure 415 or 413
 * @throws InvalidInput when there is a body and the route has no use for it, or it is not in the coding
 * that the request says
 */
export function takeBody(
  { bodyReader }: Pick<Route<never>, "bodyReader">,
  request: NodeServerRequest,
  response: NodeServerResponse,
  maxBytes: number,
): Promise<Uint8Array> | Uint8Array {
  const declared = declaredLength(request);
  if (declared === 0) return nothing;
  if (!bodyReader && declared !== undefined) throw unusedBody();
  if (bodyReader && !bodyReader.raw) checkMediaType(request);
  const coding = requestCoding(request.headers["content-encoding"]);
  if (declared !== undefined && declared > maxBytes) throw payloadTooLarge(maxBytes);
  const body = readBody(request, response, maxBytes, () => payloadTooLarge(maxBytes));
  return coding === undefined ? body : body.then((data) => decompress(data, coding, maxBytes));
}

/** The error for a body that a route has no use for. */
export function unusedBody(): InvalidInput {
  return new InvalidInput("is not used here; send none", "request body");
}
