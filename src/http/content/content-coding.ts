import { type HttpFailure, payloadTooLarge, unsupportedMediaType } from "../http-failure.ts";
import { InvalidInput } from "../invalid-input.ts";
import { chooseBest, parseWeights } from "./accept.ts";
import { type ContentCoding, codings, isTooLarge } from "./compression.ts";

/**
 * Reads the list of codings that a header of a request names (RFC 9110, section 8.4).
 *
 * @returns undefined for no content coding, `identity` included; null for an unknown coding, or more than one
 */
export function namedCoding(header: string | undefined): ContentCoding | undefined | null {
  if (!header) return undefined;
  const names = header
    .split(",")
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== "" && name !== "identity");
  const [name, ...others] = names;
  if (name === undefined) return undefined;
  if (others.length > 0) return null;
  const known = name === "x-gzip" ? "gzip" : name;
  return codings.find((candidate) => candidate.name === known) ?? null;
}

/**
 * Reads the Content-Encoding header of a request.
 *
 * @returns undefined when the body has no content coding
 * @throws HttpFailure 415 for an unknown coding, or for more than one
 */
export function requestCoding(header: string | undefined): ContentCoding | undefined {
  const coding = namedCoding(header);
  if (coding !== null) return coding;
  const accepted = codings.map((candidate) => candidate.name).join(", ");
  throw unsupportedMediaType(
    `The request body must be sent without a content coding, or with one of ${accepted}.`,
    { "accept-encoding": accepted },
  );
}

/** Returns the error for data that cannot be decompressed: HttpFailure 413, or InvalidInput. */
export function decompressionFault(
  error: unknown,
  { name }: ContentCoding,
  maxBytes: number,
): HttpFailure | InvalidInput {
  return isTooLarge(error)
    ? payloadTooLarge(maxBytes)
    : new InvalidInput(`must be valid ${name}`, "request body");
}

/**
 * Chooses the content coding of a response (RFC 9110, section 12.5.3).
 *
 * @param header the Accept-Encoding header
 * @returns undefined for no content coding
 */
export function responseCoding(header: string | undefined): ContentCoding | undefined {
  if (!header) return undefined;
  const weights = parseWeights(header);
  const rest = weights.get("*") ?? 0;
  const weightOf = ({ name }: ContentCoding) => weights.get(name) ?? rest;
  const best = chooseBest(codings, weightOf);
  return best && weightOf(best) >= (weights.get("identity") ?? 0) ? best : undefined;
}
