import type { DescMethodUnary } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import type { Compression } from "@connectrpc/connect/protocol";
import type { UnaryMethod } from "../call/method.ts";
import { publicError } from "../call/public-error.ts";
import { worthCompressing } from "../http/coding.ts";
import { type Content, codedContent } from "../http/content.ts";
import { HttpCall } from "../http/http-call.ts";
import { invokeUnary } from "../http/invoke-unary.ts";
import { leaveBody } from "../http/leave-body.ts";
import {
  breakOff,
  isGone,
  type NodeServerRequest,
  type NodeServerResponse,
} from "../http/node-http.ts";
import { readBody } from "../http/read-body.ts";
import { createCodec, type JsonOptions } from "./codec.ts";
import { complete } from "./complete.ts";
import { connectUnary } from "./connect/unary.ts";
import type { Dialect, Packed, UnaryExchange } from "./dialect.ts";
import { grpcUnary } from "./grpc/unary.ts";
import { grpcWebUnary } from "./grpc-web/unary.ts";
import { describeJsonFault } from "./json-fault.ts";
import { messageTooLarge } from "./size-limit.ts";

/** What unary calls need besides their method. */
export interface UnaryOptions {
  /** Largest message in bytes, decompressed. */
  readonly maxMessageBytes: number;
  /** Options of ProtoJSON. */
  readonly jsonOptions: JsonOptions;
  /** Details that every error is to have, and this one lacks: the errors of the protocols have none. */
  readonly missingDetails: (error: ConnectError) => ConnectError["details"];
  /** Told of every error that is not a ConnectError: a bug. */
  readonly onFault: (error: unknown) => void;
}

/** In the order of their likelihood. */
const dialects: readonly Dialect[] = [grpcUnary, connectUnary, grpcWebUnary];

/**
 * Answers a unary call without Connect's handlers.
 *
 * @returns false when the request is none of the ordinary: nothing was done with it then
 */
export type AnswerUnary<Caller> = (
  request: NodeServerRequest,
  response: NodeServerResponse,
  caller: Caller,
) => boolean;

/**
 * Makes the fast path of a method. It does what Connect's handlers do, less what they spend on
 * streams, and on signals and header fields that nobody asks for.
 */
export function createUnary<Caller>(
  method: UnaryMethod<Caller>,
  { maxMessageBytes, jsonOptions, missingDetails, onFault }: UnaryOptions,
): AnswerUnary<Caller> {
  const { desc } = method;
  const binary = createCodec(desc, maxMessageBytes, undefined);
  const json = createCodec(desc, maxMessageBytes, jsonOptions);

  async function answer(
    exchange: UnaryExchange,
    request: NodeServerRequest,
    response: NodeServerResponse,
    caller: Caller,
  ): Promise<void> {
    const { compression, timeout } = exchange;
    const call = new HttpCall(caller, request, response, timeout.timeoutMs);
    try {
      method.authorize(caller);
      if (compression.error) throw compression.error;
      if (timeout.error) throw timeout.error;
      const codec = exchange.isBinary ? binary : json;
      const packed =
        exchange.early?.() ?? exchange.unpack(await bodyOf(exchange, request, response));
      const message = codec.read(await unpacked(packed, compression.request, maxMessageBytes));
      const written = codec.write(await invokeUnary(method, message, call));
      const content = written instanceof Promise ? await written : written;
      const coding = content.length < worthCompressing ? null : compression.response;
      const sent = coding ? await compressed(content, coding) : asItIs(content);
      if (!isGone(response)) exchange.answer(response, sent, call);
    } catch (error) {
      // Nobody waits for an answer, or one was given that the body took too long.
      if (isGone(response) || response.headersSent) return;
      leaveBody(request, response);
      const told = publicError(error, onFault);
      describeJsonFault(told, desc.input);
      complete(told, missingDetails);
      exchange.fail(response, told, call);
    }
  }

  function bodyOf(
    { longestBody, declaredSize }: UnaryExchange,
    request: NodeServerRequest,
    response: NodeServerResponse,
  ): Promise<Uint8Array> {
    return readBody(request, response, longestBody(maxMessageBytes), (start) =>
      messageTooLarge(declaredSize(start), maxMessageBytes),
    );
  }

  return (request, response, caller) => {
    const exchange = recognise(request, desc, maxMessageBytes);
    if (!exchange) return false;
    answer(exchange, request, response, caller).catch((error: unknown) => {
      onFault(error);
      breakOff(response);
    });
    return true;
  };
}

function recognise(
  request: NodeServerRequest,
  desc: DescMethodUnary,
  maxMessageBytes: number,
): UnaryExchange | undefined {
  for (const dialect of dialects) {
    const exchange = dialect(request, desc, maxMessageBytes);
    if (exchange) return exchange;
  }
  return undefined;
}

function unpacked(
  { data, isCompressed }: Packed<Uint8Array>,
  compression: Compression | null,
  maxMessageBytes: number,
): Promise<Uint8Array> | Uint8Array {
  if (!isCompressed) return data;
  if (compression) return compression.decompress(data, maxMessageBytes);
  throw new ConnectError(
    "received compressed envelope, but do not know how to decompress",
    Code.Internal,
  );
}

function asItIs({ data }: Content<string | Uint8Array>): Packed {
  return { data, isCompressed: false };
}

async function compressed(content: Content, coding: Compression): Promise<Packed> {
  return { data: await codedContent(content, coding), isCompressed: true };
}
