import { Code, type ConnectError } from "@connectrpc/connect";
import { type Compression, compressedFlag } from "@connectrpc/connect/protocol";
import { callError } from "../call/call-error.ts";
import { memoize } from "../call/memoize.ts";
import type { CallerWork } from "../http/caller-work.ts";
import { type ContentCoding, codings, isTooLarge } from "../http/content/compression.ts";
import { namedCoding, responseCoding } from "../http/content/content-coding.ts";
import type { NodeServerRequest, NodeServerResponse } from "../http/exchange/node-http.ts";
import { messageTooLarge } from "./limits/size-limit.ts";

/** The content codings that the service supports, in Connect's interface. */
export const compressions: Compression[] = codings.map(toCompression);

/** The names of the content codings: the value of `grpc-accept-encoding`. */
export const acceptedEncodings = compressions.map(({ name }) => name).join(",");

/** The compression of a request and of its response; null for none. */
export interface Negotiated {
  readonly request: Compression | null;
  readonly response: Compression | null;
  /** The error of a request whose compression is not supported. */
  readonly error: ConnectError | undefined;
}

/** Longest list of accepted encodings that is remembered, in characters. */
const longestRemembered = 64;

/** What is negotiated for requests that are not compressed, by the list of accepted encodings. */
const ofPlainRequest = memoize(
  (accepted: string): Negotiated => ({
    request: null,
    response: compressionFor(responseCoding(accepted)),
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
  const request = compressionFor(coding);
  return {
    request,
    response: accepted ? compressionFor(responseCoding(accepted)) : request,
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

function compressionFor(coding: ContentCoding | null | undefined): Compression | null {
  return compressions.find(({ name }) => name === coding?.name) ?? null;
}

/**
 * Writes the codings in the headers of a stream as Connect's handlers compare them: in lower case, one by one, and
 * without weights.
 */
export function normalizeCodings(header: Headers): void {
  for (const name of ["grpc-encoding", "connect-content-encoding"]) {
    const coding = namedCoding(header.get(name) ?? undefined);
    if (coding) header.set(name, coding.name);
    else if (coding === undefined) header.delete(name);
  }
  for (const name of ["grpc-accept-encoding", "connect-accept-encoding"]) {
    const accepted = header.get(name);
    if (accepted) header.set(name, responseCoding(accepted)?.name ?? "identity");
  }
}

/** Returns the error for a body of enveloped messages that has a content coding as a whole. */
export function codedBodyFault({ headers }: NodeServerRequest): ConnectError | undefined {
  const header = headers["content-encoding"];
  return header === undefined || namedCoding(header) === undefined
    ? undefined
    : callError(
        "The body of this call must not have a Content-Encoding. Compress each message, and name the coding in Grpc-Encoding or Connect-Content-Encoding.",
        Code.Unimplemented,
      );
}

/** Connect's message for a compressed envelope of a request that names no encoding. */
const unknownCompression = "received compressed envelope, but do not know how to decompress";

/** Returns whether Connect reports such an envelope as its own fault. */
export function isCompressedWithoutEncoding({ code, rawMessage }: ConnectError): boolean {
  return code === Code.Internal && rawMessage === unknownCompression;
}

const withoutEncoding =
  "The message is marked as compressed, but the request names no encoding. Name it in the header of the protocol, or clear the flag.";

/**
 * Makes the error for such an envelope. It is the client's fault, so it is invalid_argument in the log, in metrics and in
 * traces. Only gRPC and gRPC-Web send it as internal ({@link errorInGrpc}).
 */
export function compressedWithoutEncoding(): ConnectError {
  return callError(withoutEncoding, Code.InvalidArgument);
}

/**
 * Returns an error as gRPC and gRPC-Web send it. gRPC requires internal for a compressed message without an encoding:
 * https://github.com/grpc/grpc/blob/master/doc/compression.md
 */
export function errorInGrpc(error: ConnectError): ConnectError {
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

function toCompression({ name, compress, decompress }: ContentCoding): Compression {
  return {
    name,
    compress,
    async decompress(data, readMaxBytes) {
      if (data.length === 0) return nothing;
      try {
        return await decompress(data, { maxOutputLength: readMaxBytes });
      } catch (error) {
        throw decompressionFault(error, name, readMaxBytes);
      }
    },
  };
}

/**
 * Decompresses a message within the budget of its caller. Call it within `work.run`.
 *
 * @param name of the content coding, which the server supports
 * @throws ConnectError resource_exhausted when the message is larger than `maxBytes`; invalid_argument when it is not
 * valid in the coding; any error of {@link CallerWork}
 */
export function decompressMessage<Caller>(
  work: CallerWork<Caller>,
  caller: Caller,
  response: NodeServerResponse,
  data: Uint8Array,
  name: string,
  maxBytes: number,
): Uint8Array | Promise<Uint8Array> {
  const coding = codings.find((candidate) => candidate.name === name);
  if (!coding || data.length === 0) return nothing;
  const fault = (error: unknown) => decompressionFault(error, name, maxBytes);
  return work.decompress(caller, response, data, coding, maxBytes, fault);
}

function decompressionFault(error: unknown, name: string, maxBytes: number): ConnectError {
  return isTooLarge(error)
    ? messageTooLarge(undefined, maxBytes)
    : callError(`the message is not valid ${name}`, Code.InvalidArgument);
}
