import { Code, type ConnectError } from "@connectrpc/connect";
import {
  compressedFlag,
  type UniversalHandlerFn,
  type UniversalServerRequest,
  type UniversalServerResponse,
} from "@connectrpc/connect/protocol";
import {
  contentTypeStreamRegExp,
  endStreamFlag,
  endStreamFromJson,
  endStreamToJson,
} from "@connectrpc/connect/protocol-connect";
import {
  findTrailerError,
  contentTypeRegExp as grpcContentType,
} from "@connectrpc/connect/protocol-grpc";
import {
  contentTypeRegExp as grpcWebContentType,
  trailerFlag,
  trailerParse,
  trailerSerialize,
} from "@connectrpc/connect/protocol-grpc-web";
import { callError } from "../call/call-error.ts";
import { namedCoding } from "../http/content/content-coding.ts";
import { envelope, malformed, prefixBytes } from "./codec.ts";
import {
  acceptedEncodings,
  compressedWithoutEncoding,
  compressions,
  isCompressedWithoutEncoding,
} from "./compression.ts";
import { addMissingDetails, type MissingDetails } from "./error-details.ts";
import { setStatus } from "./grpc/status.ts";
import { rpcMediaType } from "./media-type.ts";
import { errorOnlyResponse } from "./refusal.ts";

/** Returns the error to send instead; undefined to send the error unchanged. */
type Correct = (error: ConnectError) => ConnectError | undefined;

/** A response with a body. */
type ResponseWithBody = UniversalServerResponse &
  Required<Pick<UniversalServerResponse, "body" | "header">>;

/**
 * Adds missing details to the errors that Connect's handlers for streams create themselves. Connect has no hook for
 * these errors, so they are parsed from the response and written again.
 *
 * @param onError called with each error that is sent
 */
export function withCompleteErrors(
  handler: UniversalHandlerFn,
  missingDetails: MissingDetails,
  maxMessageBytes: number,
  onError: (request: UniversalServerRequest, error: ConnectError) => void,
): UniversalHandlerFn {
  return async (request) => {
    const correct: Correct = (error) => {
      const corrected = asClientFault(error);
      const wasIncomplete = addMissingDetails(corrected, missingDetails);
      onError(request, corrected);
      return wasIncomplete ? corrected : undefined;
    };
    const response = await handler(request).catch((reason: unknown) => {
      const error = unencodable(reason);
      addMissingDetails(error, missingDetails);
      onError(request, error);
      const sent = errorOnlyResponse(error, rpcMediaType(request.header.get("content-type") ?? ""));
      return { status: sent.status, header: sent.headers, body: once(sent.body ?? nothing) };
    });
    const { header, body } = response;
    if (!header || !body) return response;
    const whole: ResponseWithBody = { ...response, header, body };
    const type = header.get("content-type") ?? "";
    if (hasUnknownEncoding(request)) header.set("grpc-accept-encoding", acceptedEncodings);
    if (grpcContentType.test(type)) return correctInTrailers(whole, correct);
    if (grpcWebContentType.test(type)) {
      const web = { ...whole, body: encodable(body) };
      return correctLastEnvelope(web, trailerFlag, maxMessageBytes, (data) => {
        const trailers = trailerParse(data);
        return correctTrailers(trailers, correct) ? trailerSerialize(trailers) : undefined;
      });
    }
    if (contentTypeStreamRegExp.test(type)) {
      return correctLastEnvelope(whole, endStreamFlag, maxMessageBytes, (data) => {
        const { metadata, error } = endStreamFromJson(data);
        const corrected = error && correct(error);
        return (
          corrected && Buffer.from(JSON.stringify(endStreamToJson(metadata, corrected, undefined)))
        );
      });
    }
    return response;
  };
}

/** Returns whether a request of gRPC or gRPC-Web names a compression that the server does not support. */
function hasUnknownEncoding({ header }: UniversalServerRequest): boolean {
  return namedCoding(header.get("grpc-encoding") ?? undefined) === null;
}

/** Returns the error to send for an error of a malformed message, which Connect reports as its own fault. */
function asClientFault(error: ConnectError): ConnectError {
  if (isCompressedWithoutEncoding(error)) return compressedWithoutEncoding();
  const isMalformed = error.code === Code.Internal && error.rawMessage.startsWith("parse binary: ");
  return isMalformed ? malformed(error) : error;
}

/** Writes the status of an error again, in the service's encoding. @returns whether there was an error */
function correctTrailers(trailers: Headers, correct: Correct): boolean {
  const error = findTrailerError(trailers);
  if (error) setStatus(trailers, correct(error) ?? error);
  return error !== undefined;
}

function correctInTrailers(response: ResponseWithBody, correct: Correct): ResponseWithBody {
  const { body, trailer } = response;
  async function* corrected() {
    try {
      yield* body;
    } catch (error) {
      if (!trailer) throw error;
      setStatus(trailer, unencodable(error));
    }
    if (trailer) correctTrailers(trailer, correct);
  }
  return { ...response, body: corrected() };
}

/**
 * Returns the error to send when Connect cannot encode an error: its message quotes a lone surrogate of the request.
 *
 * @throws any other error
 */
function unencodable(error: unknown): ConnectError {
  if (!(error instanceof URIError)) throw error;
  return callError("The request has a lone surrogate.", Code.InvalidArgument);
}

/** Yields a gRPC-Web body, with other trailers if Connect cannot encode those of an error. */
async function* encodable(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    const trailers = setStatus(new Headers(), unencodable(error));
    yield envelope(trailerFlag, trailerSerialize(trailers));
  }
}

/** @param replace returns new data for the last envelope; undefined to leave it unchanged */
function correctLastEnvelope(
  response: ResponseWithBody,
  lastFlag: number,
  maxMessageBytes: number,
  replace: (data: Uint8Array) => Uint8Array | undefined,
): ResponseWithBody {
  const { body, header } = response;
  const coding = header.get("grpc-encoding") ?? header.get("connect-content-encoding");

  async function* corrected() {
    for await (const chunk of body) {
      const flags = chunk[0] ?? 0;
      if ((flags & lastFlag) === 0) {
        yield chunk;
        continue;
      }
      const packed = chunk.subarray(prefixBytes);
      const isCompressed = (flags & compressedFlag) !== 0;
      const data = isCompressed ? await unpack(packed, coding, maxMessageBytes) : packed;
      const replacement = replace(data);
      yield replacement ? envelope(lastFlag, replacement) : chunk;
    }
  }
  return { ...response, body: corrected() };
}

const nothing = new Uint8Array();

async function* once<T>(value: T): AsyncGenerator<T> {
  yield value;
}

async function unpack(
  data: Uint8Array,
  coding: string | null,
  maxMessageBytes: number,
): Promise<Uint8Array> {
  const compression = compressions.find(({ name }) => name === coding);
  return compression ? compression.decompress(data, maxMessageBytes) : data;
}
