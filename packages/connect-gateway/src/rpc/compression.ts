import { Code } from "@connectrpc/connect";
import { callError } from "../call/call-error.ts";
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

/**
 * Negotiates the compression of a call by its two headers. A client that accepts no other coding gets that of its request.
 *
 * @returns undefined when the coding of the request is not supported
 */
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

/** Checks that a body of enveloped messages has no content coding as a whole. @throws ConnectError unimplemented */
export function checkNoContentCoding(header: string | undefined): void {
  if (header === undefined || namedCoding(header) === undefined) return;
  throw callError(
    "The body of this call must not have a Content-Encoding. Compress each message, and name the coding in Grpc-Encoding or Connect-Content-Encoding.",
    Code.Unimplemented,
  );
}

/**
 * The message for a compressed envelope of a request that names no encoding. It is the client's fault, so it is
 * invalid_argument in the log, in metrics and in traces. Only the response has internal.
 */
export const withoutEncoding =
  "The message is marked as compressed, but the request names no encoding. Name it in the header of the protocol, or clear the flag.";
