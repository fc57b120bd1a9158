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
import {
  universalRequestFromNodeRequest,
  universalResponseToNodeResponse,
} from "@connectrpc/connect-node";
import { abortable, abortableStream } from "../call/abortable.ts";
import type { Call, Method } from "../call/method.ts";
import { publicError } from "../call/public-error.ts";
import { deadlineExceeded } from "../call/time-limit.ts";
import { leaveRest } from "../http/leave-body.ts";
import {
  breakOff,
  isGone,
  type NodeServerRequest,
  type NodeServerResponse,
  sendContinue,
} from "../http/node-http.ts";
import { createCallerContext } from "./caller-context.ts";
import { completeErrors } from "./complete-errors.ts";
import { compressions } from "./compression.ts";
import { withCheckedGet } from "./connect/get-handler.ts";
import { withText } from "./grpc-web/text-handler.ts";
import type { RpcOptions } from "./rpc.ts";

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
  const callers = createCallerContext<Caller>();
  const byDesc = new Map<DescMethod, Method<Caller>>(
    methods.map((method) => [method.desc, method]),
  );
  const router = createConnectRouter({
    acceptCompression: compressions,
    readMaxBytes: maxMessageBytes,
    jsonOptions,
    requestGate: ({ method, values }) => byDesc.get(method)?.authorize(callers.get(values)),
  });
  for (const method of methods) register(router, method);
  const handlers = new Map<string, UniversalHandlerFn>(
    router.handlers.map((handler) => [
      handler.requestPath,
      withText(completeErrors(withCheckedGet(handler), missingDetails, maxMessageBytes)),
    ]),
  );

  function callOf(context: HandlerContext): Call<Caller> {
    return {
      caller: callers.get(context.values),
      signal: context.signal,
      timeoutMs: context.timeoutMs(),
      requestHeaders: context.requestHeader,
      responseHeaders: context.responseHeader,
      responseTrailers: context.responseTrailer,
    };
  }

  function told(error: unknown, { reason }: AbortSignal): ConnectError {
    if (error !== reason) return publicError(error, onFault);
    // Connect's own word for a deadline that has passed is not the one that the other ways have; that a
    // client of HTTP/1.1 left is told by a reason of node's, which is no bug.
    const ended = ConnectError.from(reason);
    return ended.code === Code.DeadlineExceeded ? deadlineExceeded() : ended;
  }

  function one(work: Promise<Message>, { signal }: HandlerContext): Promise<Message> {
    return abortable(work, signal).catch((error: unknown) => {
      throw told(error, signal);
    });
  }

  async function* many(messages: AsyncIterable<Message>, { signal }: HandlerContext) {
    try {
      yield* abortableStream(messages, signal);
    } catch (error) {
      throw told(error, signal);
    }
  }

  function register({ rpc }: ConnectRouter, method: Method<Caller>): void {
    switch (method.kind) {
      case "unary":
        rpc(method.desc, (request: Message, context: HandlerContext) =>
          one(method.invoke(request, callOf(context)), context),
        );
        break;
      case "server_streaming":
        rpc(method.desc, (request: Message, context: HandlerContext) =>
          many(method.invoke(request, callOf(context)), context),
        );
        break;
      case "client_streaming":
        rpc(method.desc, (requests: AsyncIterable<Message>, context: HandlerContext) =>
          one(method.invoke(requests, callOf(context)), context),
        );
        break;
      case "bidi_streaming":
        rpc(method.desc, (requests: AsyncIterable<Message>, context: HandlerContext) =>
          many(method.invoke(requests, callOf(context)), context),
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
    const values = callers.values(caller);
    const node = nodeExchange(request, response);
    const asked = universalRequestFromNodeRequest(node.request, node.response, undefined, values);
    // Whoever stops reading the body must not destroy the request: the answer is still to be sent.
    const body = node.request.iterator({ destroyOnReturn: false });
    const answer = await handler({ ...asked, body });
    // It was told meanwhile that its body took too long.
    if (response.headersSent) return;
    leaveRest(request, response);
    await universalResponseToNodeResponse(answer, node.response);
  }

  return (path, request, response, caller) => {
    if (isGone(response)) return;
    sendContinue(request, response);
    answer(path, request, response, caller).catch((error: unknown) => {
      if (!isGone(response)) onFault(error);
      breakOff(response);
    });
  };
}

/** Request and response as node has them: what connect-node knows. */
interface NodeExchange {
  readonly request: IncomingMessage | Http2ServerRequest;
  readonly response: ServerResponse | Http2ServerResponse;
}

/** Puts what node would have made of a request of HTTP/2 in the place of our own. */
function nodeExchange(request: NodeServerRequest, response: NodeServerResponse): NodeExchange {
  if (!("stream" in request && "stream" in response)) {
    return { request, response } as NodeExchange;
  }
  const { stream, headers, rawHeaders } = request;
  const nodeRequest = new Http2ServerRequest(stream, headers, {}, rawHeaders);
  const nodeResponse = new Http2ServerResponse(stream);
  for (const [name, value] of Object.entries(response.getHeaders())) {
    nodeResponse.setHeader(name, value as string);
  }
  request.whenCut(() => nodeRequest.destroy());
  if (stream.readableEnded) nodeRequest.push(null);
  return { request: nodeRequest, response: nodeResponse };
}
