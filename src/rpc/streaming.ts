import { compressedFlag } from "@connectrpc/connect/protocol";
import type { AnyMessage, StreamingMethod } from "../call/method.ts";
import { settle, success } from "../call/request-record.ts";
import type { Endpoint } from "../http/endpoint.ts";
import type { ErrorResponse } from "../http/error-response.ts";
import { bodyPieces } from "../http/exchange/body-pieces.ts";
import { discardRest } from "../http/exchange/discard-body.ts";
import { type NodeServerRequest, sendContinue } from "../http/exchange/node-http.ts";
import type { HttpContext } from "../http/http-context.ts";
import { unbuffered } from "../http/send-error.ts";
import { type StreamOutput, sendStream } from "../http/send-stream.ts";
import { type CallOptions, createCalls } from "./call.ts";
import { prefixBytes, type Written } from "./codec.ts";
import { checkFlags } from "./compression.ts";
import { connectStream } from "./connect/stream.ts";
import { grpc } from "./grpc/exchange.ts";
import { grpcWeb } from "./grpc-web/exchange.ts";
import { rpcMediaTypeOf } from "./media-type.ts";
import type { StreamExchange } from "./protocol.ts";
import { otherHttpMethod, otherMediaType } from "./refusal.ts";
import { wholeEnvelopes } from "./whole-envelopes.ts";

const notPost = otherHttpMethod("POST");
const notStream = otherMediaType("application/connect+json");

/** The work of beginning a call, in units of a short request. */
const stepsOfCall = 16;

/** The work of a message of a request after it was parsed, in units of a short request. */
const stepsOfMessage = 4;

/** Returns the error for a request that is of no RPC protocol, or whose protocol has no streams: 415 or 405. */
function refusalOf(request: NodeServerRequest): ErrorResponse {
  return rpcMediaTypeOf(request)?.isEnveloped ? notPost : notStream;
}

/** Serves a streaming method in every RPC protocol. A request of no RPC protocol gets 405 or 415. */
export function createStreaming(method: StreamingMethod, options: CallOptions): Endpoint["handle"] {
  const { work } = options;
  const protocols = [grpc, connectStream, grpcWeb];
  const calls = createCalls<StreamExchange>(method, options, protocols, refusalOf, discardRest);
  const readMessage = calls.createReader((message) => message);

  function outputOf(exchange: StreamExchange, context: HttpContext): StreamOutput {
    const { response } = context;
    const { write } = calls.codecOf(exchange);

    function encode(content: Written): Uint8Array | Promise<Uint8Array> {
      const packed = calls.pack(exchange, context, content);
      return packed instanceof Promise
        ? packed.then((data) => exchange.encode(data))
        : exchange.encode(packed);
    }

    return {
      begin() {
        discardRest(response);
        response.setHeader(unbuffered[0], unbuffered[1]);
        exchange.begin(response, context);
      },
      encode(message) {
        const written = write(message);
        return written instanceof Promise ? written.then(encode) : encode(written);
      },
      succeed() {
        if (response.destroyed || response.isReset) return;
        exchange.end(response, context);
        settle(response.record, exchange.protocol, success, undefined);
      },
      fail: (error) => calls.fail(exchange, context, error),
    };
  }

  function respond(
    exchange: StreamExchange,
    context: HttpContext,
    messages: AsyncIterable<AnyMessage>,
  ): Promise<void> {
    return sendStream(context, work, messages, outputOf(exchange, context));
  }

  /** @returns undefined for an envelope without a message: Connect's own servers ignore the end of a client's stream */
  function readEnvelope(
    envelope: Uint8Array,
    exchange: StreamExchange,
    context: HttpContext,
  ): AnyMessage | Promise<AnyMessage> | undefined {
    const flags = envelope[0] ?? 0;
    if (checkFlags(flags, exchange.endBit)) return undefined;
    const isCompressed = (flags & compressedFlag) !== 0;
    return readMessage(exchange, { data: envelope.subarray(prefixBytes), isCompressed }, context);
  }

  async function* requestsOf(
    exchange: StreamExchange,
    context: HttpContext,
    pieces: AsyncIterable<Uint8Array>,
  ): AsyncGenerator<AnyMessage> {
    const { owner, response } = context;
    const body = exchange.decode?.(pieces) ?? pieces;
    for await (const envelope of wholeEnvelopes(body, calls.maxMessageBytes, response.unread)) {
      const { length } = envelope;
      const message = await work.run(
        owner,
        response,
        length,
        stepsOfMessage,
        readEnvelope,
        envelope,
        exchange,
        context,
      );
      if (message) yield message;
    }
  }

  if (method.kind === "server_streaming") {
    const readAndRespond = calls.createReader((message, exchange, context) =>
      respond(exchange, context, method.invoke(message, context)),
    );
    return calls.handleBy(async (exchange, context) => {
      const body = await calls.bodyOf(exchange, context);
      return work.begin(context.owner, context.response, body.length, stepsOfCall, () =>
        readAndRespond(exchange, exchange.unpack(body), context),
      );
    });
  }

  const { mapError } = method;
  return calls.handleBy(async (exchange, context) => {
    const { owner, response } = context;
    const body = bodyPieces(response.req, response.unread);
    const begin = () => {
      sendContinue(response);
      const responses = method.invoke(requestsOf(exchange, context, body.pieces), context);
      const sent = respond(exchange, context, responses);
      if (!mapError) return sent;
      return sent.catch((error: unknown) => {
        throw mapError(error, context);
      });
    };
    try {
      await work.begin(owner, response, 0, stepsOfCall, begin);
    } finally {
      body.stop();
    }
  });
}
