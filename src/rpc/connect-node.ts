import type { IncomingMessage, ServerResponse } from "node:http";
import { Http2ServerRequest, Http2ServerResponse } from "node:http2";
import type { DescMethod, Message } from "@bufbuild/protobuf";
import {
  Code,
  ConnectError,
  type ConnectRouter,
  createConnectRouter,
  type HandlerContext,
} from "@connectrpc/connect";
import type { UniversalHandlerFn } from "@connectrpc/connect/protocol";
import { contentTypeUnaryRegExp } from "@connectrpc/connect/protocol-connect";
import {
  universalRequestFromNodeRequest,
  universalResponseToNodeResponse,
} from "@connectrpc/connect-node";
import { abortable, abortableStream } from "../call/abortable.ts";
import { deadlineExceeded } from "../call/deadline.ts";
import type { Call, Method } from "../call/method.ts";
import { publicError } from "../call/public-error.ts";
import { limitTime } from "../call/time-limit.ts";
import { bodyPieces } from "../http/body-pieces.ts";
import { cutUnlessSent } from "../http/cut.ts";
import { leaveRest } from "../http/leave-body.ts";
import {
  arrivedAt,
  breakOff,
  isGone,
  type NodeServerRequest,
  type NodeServerResponse,
  sendContinue,
} from "../http/node-http.ts";
import { requestIdOf } from "../http/request-id.ts";
import { createCallerContext } from "./caller-context.ts";
import { completeErrors } from "./complete-errors.ts";
import { compressions } from "./compression.ts";
import { conditional } from "./connect/conditional-get.ts";
import { withCheckedGet } from "./connect/get-handler.ts";
import { withText } from "./grpc-web/text-handler.ts";
import type { RpcOptions } from "./rpc.ts";
import { wholeBody, wholeEnvelopes } from "./whole-envelopes.ts";

/** Answers a request for a method, on behalf of a caller that was admitted. */
type Handle<Caller> = (
  path: string,
  request: NodeServerRequest,
  response: NodeServerResponse,
  caller: Caller,
) => void;

/** Serves methods of every kind by Connect's own handlers: all that the fast path is not for. */
export function createConnectNode<Caller>({
  methods,
  maxMessageBytes,
  jsonOptions,
  missingDetails,
  onFault,
}: RpcOptions<Caller>): Handle<Caller> {
  const origins = createCallerContext<Origin<Caller>>();
  const byDesc = new Map<DescMethod, Method<Caller>>(
    methods.map((method) => [method.desc, method]),
  );
  const router = createConnectRouter({
    acceptCompression: compressions,
    jsonOptions,
    requestGate: ({ method, values }) => byDesc.get(method)?.authorize(origins.get(values).caller),
  });
  for (const method of methods) register(router, method);
  const handlers = new Map<string, UniversalHandlerFn>(
    router.handlers.map((handler) => [
      handler.requestPath,
      withText(
        withBoundedPieces(
          completeErrors(
            withCheckedGet(handler),
            missingDetails,
            maxMessageBytes(handler.method),
            handler.method.input,
          ),
          maxMessageBytes(handler.method),
        ),
      ),
    ]),
  );

  function callOf(context: HandlerContext): LimitedCall<Caller> {
    const { caller, response, heldMs } = origins.get(context.values);
    const { signal } = context;
    const controller = new AbortController();
    // Connect counts the time from when its handler was called.
    const leftMs = context.timeoutMs();
    const deadline = leftMs === undefined ? undefined : performance.now() + leftMs - heldMs;
    const { release } = limitTime(controller, deadline);
    const abort = () => controller.abort(signal.reason);
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
    return {
      caller,
      setHeader: (name, value) => void response.setHeader(name, value),
      signal: controller.signal,
      deadline,
      release,
      requestId: requestIdOf(response),
      requestHeaders: context.requestHeader,
      responseHeaders: context.responseHeader,
      responseTrailers: context.responseTrailer,
      end(reason) {
        controller.abort(publicError(reason, onFault));
        cutUnlessSent(response);
      },
    };
  }

  function callError(error: unknown, { aborted, reason }: AbortSignal): ConnectError {
    // After the end of a call, errors follow from it: a write fails, say, because its stream was reset.
    if (!aborted) return publicError(error, onFault);
    // Connect's own word for a deadline that has passed is not the one that the other ways have; that a
    // client of HTTP/1.1 disconnected, the reason is node's own, which is not a bug.
    const ended = ConnectError.from(reason);
    return ended.code === Code.DeadlineExceeded ? deadlineExceeded() : ended;
  }

  function one(work: (call: Call<Caller>) => Promise<Message>, context: HandlerContext) {
    const call = callOf(context);
    return abortable(work(call), call.signal)
      .catch((error: unknown) => {
        throw callError(error, call.signal);
      })
      .finally(call.release);
  }

  async function* many(
    messages: (call: Call<Caller>) => AsyncIterable<Message>,
    context: HandlerContext,
  ) {
    const call = callOf(context);
    try {
      yield* abortableStream(messages(call), call.signal);
    } catch (error) {
      throw callError(error, call.signal);
    } finally {
      call.release();
    }
  }

  function register({ rpc }: ConnectRouter, method: Method<Caller>): void {
    const options = { readMaxBytes: maxMessageBytes(method.desc) };
    switch (method.kind) {
      case "unary":
        rpc(
          method.desc,
          (request: Message, context: HandlerContext) =>
            one((call) => method.invoke(request, call), context),
          options,
        );
        break;
      case "server_streaming":
        rpc(
          method.desc,
          (request: Message, context: HandlerContext) =>
            many((call) => method.invoke(request, call), context),
          options,
        );
        break;
      case "client_streaming":
        rpc(
          method.desc,
          (requests: AsyncIterable<Message>, context: HandlerContext) =>
            one((call) => method.invoke(requests, call), context),
          options,
        );
        break;
      case "bidi_streaming":
        rpc(
          method.desc,
          (requests: AsyncIterable<Message>, context: HandlerContext) =>
            many((call) => method.invoke(requests, call), context),
          options,
        );
        break;
    }
  }

  async function answer(
    path: string,
    request: NodeServerRequest,
    response: NodeServerResponse,
    caller: Caller,
  ): Promise<void> {
    const handler = handlers.get(path);
    if (!handler) throw new Error(`there is no method ${path}`);
    const heldMs = performance.now() - arrivedAt(request);
    const values = origins.values({ caller, response, heldMs });
    const body = bodyPieces(request);
    const node = nodeExchange(request, response, body.cut);
    const asked = universalRequestFromNodeRequest(node.request, node.response, undefined, values);
    const answer = await handler({ ...asked, body: body.pieces });
    // The body took too long, and the response says so already.
    if (response.headersSent) return;
    leaveRest(request, response);
    node.copyHeaders();
    const sent = request.method === "GET" ? conditional(request, response, answer) : answer;
    await universalResponseToNodeResponse(sent, node.response);
  }

  return (path, request, response, caller) => {
    if (isGone(response)) return;
    sendContinue(request, response);
    answer(path, request, response, caller).catch((error: unknown) => {
      if (!isGone(response) && !isReset(response)) onFault(error);
      breakOff(response);
    });
  };
}

/** Whether an HTTP/2 stream is closed. A write to it fails, and that is not a bug. */
function isReset(response: NodeServerResponse): boolean {
  return "stream" in response && response.stream.closed;
}

/** Where a call came from. */
interface Origin<Caller> {
  readonly caller: Caller;
  readonly response: NodeServerResponse;
  /** For how long the request was held before Connect's handler was called, in milliseconds. */
  readonly heldMs: number;
}

/** A call, and a function that stops the timer of its deadline. */
interface LimitedCall<Caller> extends Call<Caller> {
  release(): void;
}

/** Gives a handler request bodies in pieces of which it holds no more than it has to. */
function withBoundedPieces(
  handler: UniversalHandlerFn,
  maxMessageBytes: number,
): UniversalHandlerFn {
  return (request) => {
    const body = request.body as AsyncIterable<Uint8Array>;
    const type = request.header.get("content-type") ?? "";
    const bounded = contentTypeUnaryRegExp.test(type) ? wholeBody : wholeEnvelopes;
    return handler({ ...request, body: bounded(body, maxMessageBytes) });
  };
}

/** Request and response as node has them: what connect-node knows. */
interface NodeExchange {
  readonly request: IncomingMessage | Http2ServerRequest;
  readonly response: ServerResponse | Http2ServerResponse;
  /** Copies the header fields that were set on our own response: to be called when all of them are. */
  copyHeaders(): void;
}

/** Puts what node would have made of a request of HTTP/2 in the place of our own. */
function nodeExchange(
  request: NodeServerRequest,
  response: NodeServerResponse,
  onCut: () => void,
): NodeExchange {
  if (!("stream" in request && "stream" in response)) {
    // Connect needs a host to make a URL, and a request of HTTP/1.0 can have none.
    request.headers.host ??= "localhost";
    return { request, response, copyHeaders: () => {} } as NodeExchange;
  }
  const { stream, headers, rawHeaders } = request;
  const nodeRequest = new Http2ServerRequest(stream, headers, {}, rawHeaders);
  const nodeResponse = new Http2ServerResponse(stream);
  const write = nodeResponse.write.bind(nodeResponse) as (...args: unknown[]) => boolean;
  nodeResponse.write = (chunk: string | Uint8Array, ...rest: unknown[]) => {
    response.bytesWritten += chunk.length;
    return write(chunk, ...rest);
  };
  request.whenCut(() => {
    nodeRequest.destroy();
    onCut();
  });
  if (stream.readableEnded) nodeRequest.push(null);
  return {
    request: nodeRequest,
    response: nodeResponse,
    copyHeaders() {
      for (const [name, value] of Object.entries(response.getHeaders())) {
        nodeResponse.setHeader(name, value as string);
      }
    },
  };
}
