import type { UnaryMethod } from "../call/method.ts";
import { settle, success } from "../call/request-record.ts";
import type { Endpoint } from "../http/endpoint.ts";
import type { ErrorResponse } from "../http/error-response.ts";
import { discardBody } from "../http/exchange/discard-body.ts";
import type { NodeServerRequest } from "../http/exchange/node-http.ts";
import type { HttpContext } from "../http/http-context.ts";
import { invokeUnary } from "../http/invoke-unary.ts";
import { type CallOptions, createCalls } from "./call.ts";
import type { Written } from "./codec.ts";
import { allowsGet } from "./connect/get.ts";
import { connectUnary } from "./connect/unary.ts";
import { grpc } from "./grpc/exchange.ts";
import { grpcWeb } from "./grpc-web/exchange.ts";
import type { Packed, UnaryExchange } from "./protocol.ts";
import { otherEncoding, otherHttpMethod, otherMediaType } from "./refusal.ts";

/** Serves a unary method in every RPC protocol. A request of no RPC protocol gets 405 or 415. */
export function createUnary(method: UnaryMethod, options: CallOptions): Endpoint["handle"] {
  const { work } = options;
  const { desc } = method;

  /** Returns the error for a request that is of no RPC protocol: 405 or 415. */
  function refusalOf(request: NodeServerRequest): ErrorResponse {
    const allow = allowsGet(desc) ? ["GET", "POST"] : ["POST"];
    if (!allow.includes(request.method ?? "")) return otherHttpMethod(allow.join(", "));
    return request.method === "GET" ? otherEncoding() : otherMediaType("application/json");
  }

  // The most frequent first.
  const protocols = [grpc, connectUnary, grpcWeb];
  const calls = createCalls<UnaryExchange>(method, options, protocols, refusalOf, discardBody);
  const read = calls.createReader((message, exchange, context) =>
    invokeUnary(method, message, context, work, calls.codecOf(exchange).write),
  );

  function invoke(
    exchange: UnaryExchange,
    body: Uint8Array,
    context: HttpContext,
  ): Promise<Written> {
    return read(exchange, exchange.messageInQuery?.() ?? exchange.unpack(body), context);
  }

  function send(
    exchange: UnaryExchange,
    context: HttpContext,
    content: Written,
  ): Promise<void> | undefined {
    const packed = calls.pack(exchange, context, content);
    if (packed instanceof Promise) return packed.then((data) => succeed(exchange, context, data));
    succeed(exchange, context, packed);
    return undefined;
  }

  function succeed(exchange: UnaryExchange, context: HttpContext, packed: Packed): void {
    const { response } = context;
    if (response.destroyed) return;
    exchange.succeed(response, packed, context);
    settle(response.record, exchange.protocol, success, undefined);
  }

  return calls.handleBy((exchange, context) => {
    const { owner, response } = context;
    const reading = calls.bodyOf(exchange, context);
    const callWith = (body: Uint8Array) =>
      work.run(owner, response, body.length, 0, invoke, exchange, body, context);
    const content = reading instanceof Promise ? reading.then(callWith) : callWith(reading);
    return content.then((written) => send(exchange, context, written));
  });
}
