import { type ContentCoding, codings, isTooLarge } from "../http/coding.ts";
import { chooseBest, parseWeights } from "./accept.ts";
import { payloadTooLarge, unsupportedMediaType } from "./http-failure.ts";
import { InvalidInput } from "./invalid-input.ts";

/**
 * Reads a Content-Encoding field of a request.
 *
 * @returns undefined when the body is as it is
 * @throws HttpFailure 415 for a coding that is not known, and for more than one
 */
export function requestCoding(field: string | undefined): ContentCoding | undefined {
  const name = field?.trim().toLowerCase();
  if (!name || name === "identity") return undefined;
  const known = name === "x-gzip" ? "gzip" : name;
  const coding = codings.find((candidate) => candidate.name === known);
  if (coding) return coding;
  const accepted = codings.map((candidate) => candidate.name).join(", ");
  throw unsupportedMediaType(`the request body must be sent as it is, or in one of ${accepted}`, {
    "accept-encoding": accepted,
  });
}

/**
 * Undoes a content coding.
 *
 * @param maxBytes the most to decompress to
 * @throws HttpFailure 413 when there is more
 * @throws InvalidInput when the bytes are not in that coding
 */
export async function decompress(
  data: Uint8Array,
  coding: ContentCoding,
  maxBytes: number,
): Promise<Uint8Array> {
  try {
    return await coding.decompress(data, { maxOutputLength: maxBytes });
  } catch (error) {
    if (isTooLarge(error)) throw payloadTooLarge(maxBytes);
    throw new InvalidInput(`is not valid ${coding.name}`, "request body");
  }
}

/**
 * Chooses the coding of an answer (RFC 9110, section 12.5.3).
 *
 * @param field Accept-Encoding
 * @returns undefined to send it as it is
 */
export function answerCoding(field: string | undefined): ContentCoding | undefined {
  if (!field) return undefined;
  const weights = parseWeights(field);
  const rest = weights.get("*") ?? 0;
  const weightOf = ({ name }: ContentCoding) => weights.get(name) ?? rest;
  const best = chooseBest(codings, weightOf);
  return best && weightOf(best) >= (weights.get("identity") ?? 0) ? best : undefined;
}
