import type { ConnectError } from "@connectrpc/connect";
import type { AnyMessage, Method } from "../call/method.ts";
import { publicError } from "../call/public-error.ts";
import { settle } from "../call/request-record.ts";
import type { CallerWork } from "../http/caller-work.ts";
import { cacheControl } from "../http/content/caching.ts";
import { worthCompressing } from "../http/content/compression.ts";
import type { Endpoint } from "../http/endpoint.ts";
import type { ErrorResponse } from "../http/error-response.ts";
import { discardBody } from "../http/exchange/discard-body.ts";
import type { NodeServerRequest, NodeServerResponse } from "../http/exchange/node-http.ts";
import { readBody } from "../http/exchange/read-body.ts";
import { HttpContext } from "../http/http-context.ts";
import { sendError } from "../http/send-error.ts";
import { binaryCodec, jsonCodec, type Written } from "./codec.ts";
import { asSent, compressedWithoutEncoding, decompressMessage } from "./compression.ts";
import { addMissingDetails } from "./error-details.ts";
import { messageTooLarge } from "./limits/size-limit.ts";
import type { Exchange, Packed, Recognize } from "./protocol.ts";
import type { RpcOptions } from "./rpc.ts";

/** Options of the calls of all methods. */
export interface CallOptions extends RpcOptions {
  readonly work: CallerWork;
}

const nothing = new Uint8Array(0);

/**
 * Makes what the calls of a method have in common, whether they are unary or streams.
 *
 * @param protocols those that have calls of the method's kind
 * @param refusalOf returns the error for a request of no such protocol
 * @param discard discards the body of a request before an error is sent
 */
export function createCalls<E extends Exchange>(
  { desc, authorize }: Method,
  options: CallOptions,
  protocols: readonly Recognize<E>[],
  refusalOf: (request: NodeServerRequest) => ErrorResponse,
  discard: (response: NodeServerResponse) => void,
) {
  const { work, refuseField, missingDetails, reasonOf, onFault } = options;
  const maxMessageBytes = options.maxMessageBytes(desc);
  const binary = binaryCodec(desc, refuseField);
  const json = jsonCodec(desc, options.json, refuseField);

  function recognize(request: NodeServerRequest): E | undefined {
    for (const protocol of protocols) {
      const exchange = protocol(request, desc, maxMessageBytes);
      if (exchange) return exchange;
    }
    return undefined;
  }

  function codecOf({ isBinary }: Exchange) {
    return isBinary ? binary : json;
  }

  /**
   * Makes the endpoint's function from one that serves a call.
   *
   * @param serve may throw as the promise that it returns rejects. The error is sent unless a response has begun
   */
  function handleBy(
    serve: (exchange: E, context: HttpContext) => Promise<void>,
  ): Endpoint["handle"] {
    return (request, response, values) => {
      const exchange = recognize(request);
      if (!exchange) {
        discardBody(response);
        sendError(response, refusalOf(request), cacheControl(response));
        return undefined;
      }
      response.record.protocol = exchange.protocol;
      const context = new HttpContext(desc, response, values);
      context.setTimeout(exchange.timeout.timeoutMs);
      const failed = (error: unknown) => {
        // The client has got 408 already, because the body took too long.
        if (!response.headersSent) fail(exchange, context, error);
      };
      try {
        authorize(context);
        if (exchange.compression.error) throw exchange.compression.error;
        if (exchange.timeout.error) throw exchange.timeout.error;
        return serve(exchange, context).catch(failed);
      } catch (error) {
        failed(error);
        return undefined;
      }
    };
  }

  /** Ends a call with an error. */
  function fail(exchange: E, context: HttpContext, error: unknown): void {
    const { response } = context;
    // The client has disconnected.
    if (response.destroyed) return;
    try {
      if (!response.headersSent) discard(response);
      const sent: ConnectError = publicError(error, onFault);
      addMissingDetails(sent, missingDetails);
      settle(response.record, exchange.protocol, sent.code, reasonOf?.(sent));
      exchange.fail(response, asSent(sent), context);
    } catch (fault) {
      onFault(fault);
      response.destroy();
    }
  }

  /** Reads the body of a request that has one message. */
  function bodyOf(exchange: E, { response }: HttpContext): Promise<Uint8Array> | Uint8Array {
    if (exchange.messageInQuery) return nothing;
    return readBody(response, exchange.longestBody(maxMessageBytes), (start) =>
      messageTooLarge(exchange.declaredSize(start), maxMessageBytes),
    );
  }

  /**
   * Makes a function that reads a message and passes it on. Call that function within `work.run`: it does the expensive
   * work before the first asynchronous step.
   */
  function createReader<T>(use: (message: AnyMessage, exchange: E, context: HttpContext) => T) {
    const read = (exchange: E, data: Uint8Array, context: HttpContext) =>
      use(codecOf(exchange).read(data), exchange, context);
    return (
      exchange: E,
      { data, isCompressed }: Packed<Uint8Array>,
      context: HttpContext,
    ): T | Promise<Awaited<T>> => {
      const { owner, response } = context;
      if (!isCompressed) return read(exchange, data, context);
      const coding = exchange.compression.request;
      if (!coding) throw compressedWithoutEncoding();
      const plain = decompressMessage(work, owner, response, data, coding, maxMessageBytes);
      if (!(plain instanceof Promise)) return read(exchange, plain, context);
      const readPlain = async (message: Uint8Array): Promise<Awaited<T>> =>
        await work.run(owner, response, message.length, 0, read, exchange, message, context);
      return plain.then(readPlain);
    };
  }

  /** Compresses a message if the client accepts that and it is worth it. */
  function pack(
    { compression }: E,
    { owner, response }: HttpContext,
    content: Written,
  ): Packed | Promise<Packed> {
    const coding = content.length < worthCompressing ? null : compression.response;
    if (!coding) return { data: content.data, isCompressed: false };
    return work
      .compress(owner, response, content, coding)
      .then((data) => ({ data, isCompressed: true }));
  }

  return { handleBy, fail, bodyOf, createReader, codecOf, pack, maxMessageBytes };
}
