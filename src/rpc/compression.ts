import { Code, type ConnectError } from "@connectrpc/connect";
import { compressedFlag } from "@connectrpc/connect/protocol";
import { callError } from "../call/call-error.ts";
import { memoize } from "../call/memoize.ts";
import type { Owner } from "../call/shared-pool.ts";
import type { CallerWork } from "../http/caller-work.ts";
import { type ContentCoding, codings, isTooLarge } from "../http/content/compression.ts";
import { namedCoding, responseCoding } from "../http/content/content-coding.ts";
import type { NodeServerRequest, NodeServerResponse } from "../http/exchange/node-http.ts";
import { messageTooLarge } from "./limits/size-limit.ts";
import { headerOf } from "./protocol.ts";

/** The names of the content codings: the value of `grpc-accept-encoding`. */
export const acceptedEncodings = codings.map(({ name }) => name).join(",");

/** The compression of a request and of its response; null for none. */
export interface Negotiated {
  readonly request: ContentCoding | null;
  readonly response: ContentCoding | null;
  /** The error of a request whose compression is not supported. */
  readonly error: ConnectError | undefined;
}

/** Longest list of accepted encodings that is remembered, in characters. */
const longestRemembered = 64;

/** What is negotiated for requests that are not compressed, by the list of accepted encodings. */
const ofPlainRequest = memoize(
  (accepted: string): Negotiated => ({
    request: null,
    response: responseCoding(accepted) ?? null,
    error: undefined,
  }),
  100,
);

/**
 * Negotiates the compression of a call. A client that accepts no other coding gets that of its request.
 *
 * @param requested the header that names the coding of the request
 * @param accepted the header that lists the codings for the response
 * @param acceptHeader the name of that header in lower case, which lists the server's codings next to the error
 */
export function negotiateCompression(
  requested: string | null,
  accepted: string | null,
  acceptHeader: string,
): Negotiated {
  if (requested === null && accepted !== null && accepted.length <= longestRemembered) {
    return ofPlainRequest(accepted);
  }
  const coding = namedCoding(requested ?? undefined);
  const request = coding ?? null;
  return {
    request,
    response: accepted ? (responseCoding(accepted) ?? null) : request,
    error:
      coding === null
        ? callError(
            `unknown compression "${requested}": supported encodings are ${acceptedEncodings}`,
            Code.Unimplemented,
            { headers: { [acceptHeader]: acceptedEncodings } },
          )
        : undefined,
  };
}

const noCompression: Negotiated = { request: null, response: null, error: undefined };

/**
 * Negotiates the compression of a call whose messages are in envelopes.
 *
 * @param encodingHeader names the coding of the request, in lower case
 * @param acceptHeader lists the codings for the response, in lower case
 */
export function compressionOfMessages(
  request: NodeServerRequest,
  encodingHeader: string,
  acceptHeader: string,
): Negotiated {
  const fault = codedBodyFault(request);
  if (fault) return { ...noCompression, error: fault };
  const encoding = headerOf(request, encodingHeader);
  const accepted = headerOf(request, acceptHeader);
  if (encoding === null && accepted === null) return noCompression;
  return negotiateCompression(encoding, accepted, acceptHeader);
}

/** Returns the error for a body of enveloped messages that has a content coding as a whole. */
function codedBodyFault({ headers }: NodeServerRequest): ConnectError | undefined {
  const header = headers["content-encoding"];
  return header === undefined || namedCoding(header) === undefined
    ? undefined
    : callError(
        "The body of this call must not have a Content-Encoding. Compress each message, and name the coding in Grpc-Encoding or Connect-Content-Encoding.",
        Code.Unimplemented,
      );
}

const withoutEncoding =
  "The message is marked as compressed, but the request names no encoding. Name it in the header of the protocol, or clear the flag.";

/**
 * Makes the error for a compressed envelope of a request that names no encoding. It is the client's fault, so it is
 * invalid_argument in the log, in metrics and in traces. Only the response has internal ({@link asSent}).
 */
export function compressedWithoutEncoding(): ConnectError {
  return callError(withoutEncoding, Code.InvalidArgument);
}

/**
 * Returns an error as it is sent. gRPC requires internal for a compressed message without an encoding
 * (https://github.com/grpc/grpc/blob/master/doc/compression.md), and Connect's conformance suite requires it for streams.
 */
export function asSent(error: ConnectError): ConnectError {
  const { rawMessage, details } = error;
  return rawMessage === withoutEncoding ? callError(rawMessage, Code.Internal, { details }) : error;
}

/**
 * Checks the flags of an envelope.
 *
 * @param endBit the bit of the last envelope of a stream; 0 if the protocol has none
 * @returns whether the envelope ends a stream, so that it has no message
 * @throws ConnectError invalid_argument when other bits are set
 */
export function checkFlags(flags: number, endBit = 0): boolean {
  if ((flags & ~(compressedFlag | endBit)) !== 0) {
    throw callError(
      `The flags of a message are ${flags}. They must be 0, or 1 if the message is compressed.`,
      Code.InvalidArgument,
    );
  }
  return (flags & endBit) !== 0;
}

const nothing = new Uint8Array(0);

/**
 * Decompresses a message within the budget of its owner. Call it within `work.run`.
 *
 * @throws ConnectError resource_exhausted when the message is larger than `maxBytes`; invalid_argument when it is not
 * valid in the coding; any error of {@link CallerWork}
 */
export function decompressMessage(
  work: CallerWork,
  owner: Owner,
  response: NodeServerResponse,
  data: Uint8Array,
  coding: ContentCoding,
  maxBytes: number,
): Uint8Array | Promise<Uint8Array> {
  if (data.length === 0) return nothing;
  const fault = (error: unknown) => decompressionFault(error, coding.name, maxBytes);
  return work.decompress(owner, response, data, coding, maxBytes, fault);
}

function decompressionFault(error: unknown, name: string, maxBytes: number): ConnectError {
  return isTooLarge(error)
    ? messageTooLarge(undefined, maxBytes)
    : callError(`the message is not valid ${name}`, Code.InvalidArgument);
}
