import type { DescMessage } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import {
  compressedFlag,
  compressionNegotiate,
  readAllBytes,
  type UniversalHandlerFn,
  type UniversalServerRequest,
  type UniversalServerResponse,
} from "@connectrpc/connect/protocol";
import {
  codeToHttpStatus,
  contentTypeStreamRegExp,
  endStreamFlag,
  endStreamFromJson,
  endStreamToJson,
  errorFromJsonBytes,
  errorToJsonBytes,
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
import { malformed } from "./codec.ts";
import { complete } from "./complete.ts";
import { acceptedEncodings, compressions } from "./compression.ts";
import { envelope, prefixBytes } from "./envelope.ts";
import { setStatus } from "./grpc/status.ts";
import { describeJsonFault } from "./json-fault.ts";
import { refusalAnswer } from "./refusal.ts";

/** @returns what is to be told instead of an error; undefined when it may stay as it is */
type Correct = (error: ConnectError) => ConnectError | undefined;

/** An answer with a body. */
type Answer = UniversalServerResponse & Required<Pick<UniversalServerResponse, "body" | "header">>;

/**
 * Adds to the errors that Connect's handlers make by themselves the details that they lack. Connect
 * makes them where nobody else has a say, so they are taken out of the answer.
 *
 * @param input the request message of the method
 */
export function completeErrors(
  handler: UniversalHandlerFn,
  missingDetails: (error: ConnectError) => ConnectError["details"],
  maxMessageBytes: number,
  input: DescMessage,
): UniversalHandlerFn {
  const correct: Correct = (error) => {
    const told = isMalformed(error) ? malformed(error) : error;
    describeJsonFault(told, input);
    return complete(told, missingDetails) ? told : undefined;
  };

  return async (request) => {
    const answer = await handler(request).catch((reason: unknown) => {
      const error = unquotable(reason);
      complete(error, missingDetails);
      const sent = refusalAnswer(error, request.header.get("content-type") ?? "");
      return { status: sent.status, header: sent.headers, body: once(sent.body ?? nothing) };
    });
    const { header, body } = answer;
    if (!header || !body) return answer;
    const whole: Answer = { ...answer, header, body };
    const type = header.get("content-type") ?? "";
    if (hasUnknownEncoding(request)) header.set("grpc-accept-encoding", acceptedEncodings);
    if (grpcContentType.test(type)) return inTrailers(whole, correct);
    if (grpcWebContentType.test(type)) {
      const web = { ...whole, body: quotable(body) };
      return inLastEnvelope(web, trailerFlag, maxMessageBytes, (data) => {
        const trailers = trailerParse(data);
        return correctTrailers(trailers, correct) ? trailerSerialize(trailers) : undefined;
      });
    }
    if (contentTypeStreamRegExp.test(type)) {
      return inLastEnvelope(whole, endStreamFlag, maxMessageBytes, (data) => {
        const { metadata, error } = endStreamFromJson(data);
        const told = error && correct(error);
        return told && Buffer.from(JSON.stringify(endStreamToJson(metadata, told, undefined)));
      });
    }
    return answer.status >= 400 ? inBody(whole, correct, maxMessageBytes) : answer;
  };
}

/** Whether a message of gRPC or gRPC-Web is in a coding that the server does not know. */
function hasUnknownEncoding({ header }: UniversalServerRequest): boolean {
  const requested = header.get("grpc-encoding");
  return (
    compressionNegotiate(compressions, requested, null, "grpc-accept-encoding").error !== undefined
  );
}

/** Whether Connect takes for its own fault that a message can't be read. */
function isMalformed({ code, rawMessage }: ConnectError): boolean {
  return code === Code.Internal && rawMessage.startsWith("parse binary: ");
}

/** Writes the status of an error again, as the service writes it. @returns whether there was an error */
function correctTrailers(trailers: Headers, correct: Correct): boolean {
  const error = findTrailerError(trailers);
  if (error) setStatus(trailers, correct(error) ?? error);
  return error !== undefined;
}

function inTrailers(answer: Answer, correct: Correct): Answer {
  const { body, trailer } = answer;
  async function* corrected() {
    try {
      yield* body;
    } catch (error) {
      if (!trailer) throw error;
      setStatus(trailer, unquotable(error));
    }
    if (trailer) correctTrailers(trailer, correct);
  }
  return { ...answer, body: corrected() };
}

/**
 * Connect quotes a request in the status of gRPC, and fails to encode half of a surrogate pair.
 *
 * @returns the error to send instead
 * @throws any other error
 */
function unquotable(error: unknown): ConnectError {
  if (!(error instanceof URIError)) throw error;
  return new ConnectError("The request has a lone surrogate.", Code.InvalidArgument);
}

/** Replaces an envelope that gRPC-Web fails to encode with one that has an error. */
async function* quotable(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    const trailers = setStatus(new Headers(), unquotable(error));
    yield envelope(trailerFlag, trailerSerialize(trailers));
  }
}

/** @param replace makes what the last envelope's data is to be instead; undefined to leave it */
function inLastEnvelope(
  answer: Answer,
  lastFlag: number,
  maxMessageBytes: number,
  replace: (data: Uint8Array) => Uint8Array | undefined,
): Answer {
  const { body, header } = answer;
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
      const instead = replace(data);
      yield instead ? envelope(lastFlag, instead) : chunk;
    }
  }
  return { ...answer, body: corrected() };
}

async function inBody(answer: Answer, correct: Correct, maxMessageBytes: number): Promise<Answer> {
  const { header } = answer;
  const sent = await readAllBytes(answer.body, Number.MAX_SAFE_INTEGER);
  const coding = header.get("content-encoding");
  const data = coding === null ? sent : await unpack(sent, coding, maxMessageBytes);
  const error = errorFromJsonBytes(data, undefined, new ConnectError("", Code.Unknown));
  const told = correct(error);
  if (!told) return { ...answer, body: once(sent) };
  const body = errorToJsonBytes(told, undefined);
  header.delete("content-encoding");
  header.set("content-length", String(body.length));
  return { ...answer, status: codeToHttpStatus(told.code), body: once(body) };
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
