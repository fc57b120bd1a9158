import { memoize } from "../call/memoize.ts";
import {
  type ContentCoding,
  codings,
  namedCoding,
  responseCoding,
} from "../http/content/coding.ts";

/** The names of the content codings: the value of `grpc-accept-encoding`. */
export const acceptedEncodings = codings.map(({ name }) => name).join(",");

export interface Negotiated {
  readonly request: ContentCoding | undefined;
  readonly response: ContentCoding | undefined;
}

export const noCompression: Negotiated = { request: undefined, response: undefined };

const longestRemembered = 64;

/** What is negotiated for requests that are not compressed, by the list of accepted encodings. */
const ofPlainRequest = memoize((accepted: string): Negotiated => {
  return { request: undefined, response: responseCoding(accepted) };
}, 100);

/** Negotiates the compression of a call; undefined for an unknown coding. A client that accepts no other gets that of its request. */
export function negotiateCompression(
  requested: string | undefined,
  accepted: string | undefined,
): Negotiated | undefined {
  if (requested === undefined) {
    if (accepted === undefined) return noCompression;
    if (accepted.length <= longestRemembered) return ofPlainRequest(accepted);
  }
  const request = namedCoding(requested);
  if (request === null) return undefined;
  return { request, response: accepted ? responseCoding(accepted) : request };
}

/** For an envelope compressed without a named encoding: invalid_argument in log, metrics and traces, but internal in the response. */
export const withoutEncoding =
  "The message is marked as compressed, but the request names no encoding. Name it in the header of the protocol, or clear the flag.";
