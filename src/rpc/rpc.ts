import type { Message } from "@bufbuild/protobuf";
import type { ConnectError, ConnectRouter, HandlerContext } from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import type { Method } from "../call/method.ts";
import { publicError } from "../call/public-error.ts";
import { leaveBody } from "../http/leave-body.ts";
import type { NodeServerRequest, NodeServerResponse } from "../http/node-http.ts";
import { createCallerContext } from "./caller-context.ts";
import { refusalAnswer } from "./refusal.ts";

/** What the RPC side of the server is made of. */
export interface RpcOptions<Caller> {
  readonly methods: readonly Method<Caller>[];
  /** Largest message in bytes, decompressed. */
  readonly maxMessageBytes: number;
  /** Told of every error that is not a ConnectError: a bug. */
  onFault(error: unknown): void;
}

/** Serves methods by Connect, gRPC and gRPC-Web. */
export interface Rpc<Caller> {
  /** Is this the path of a method: `/<package>.<Service>/<Method>`? */
  serves(path: string): boolean;
  /** Answers a request for a method, on behalf of a caller that was admitted. */
  handle(request: NodeServerRequest, response: NodeServerResponse, caller: Caller): void;
  /** Answers with an error, without reading the request's body. */
  refuse(request: NodeServerRequest, response: NodeServerResponse, error: ConnectError): void;
}

/** Makes the RPC side of the server, by Connect's own handlers for Node. */
export function createRpc<Caller>(options: RpcOptions<Caller>): Rpc<Caller> {
  const { methods, maxMessageBytes, onFault } = options;
  const callers = createCallerContext<Caller>();
  const paths = new Set(methods.map(({ desc }) => `/${desc.parent.typeName}/${desc.name}`));

  function callOf({ values, signal }: HandlerContext) {
    return { caller: callers.get(values), signal };
  }

  function register(router: ConnectRouter, method: Method<Caller>): void {
    switch (method.kind) {
      case "unary":
        router.rpc(method.desc, (request: Message, context: HandlerContext) =>
          method.invoke(request, callOf(context)).catch((error: unknown) => {
            throw publicError(error, onFault);
          }),
        );
        break;
      case "server_streaming":
        router.rpc(method.desc, async function* (request: Message, context: HandlerContext) {
          try {
            yield* method.invoke(request, callOf(context));
          } catch (error) {
            throw publicError(error, onFault);
          }
        });
        break;
    }
  }

  const handler = connectNodeAdapter({
    routes(router) {
      for (const method of methods) {
        register(router, method);
      }
    },
    contextValues: callers.values,
    readMaxBytes: maxMessageBytes,
    // A client that sends a field which is not understood must not believe that it took effect.
    jsonOptions: { ignoreUnknownFields: false },
  });

  return {
    serves: (path) => paths.has(path),

    handle(request, response, caller) {
      callers.set(request, caller);
      if (request.headers.expect !== undefined) {
        response.writeContinue();
      }
      handler(request, response);
    },

    refuse(request, response, error) {
      const answer = refusalAnswer(error, request.headers["content-type"] ?? "");
      response.statusCode = answer.status;
      answer.headers.forEach((value, name) => {
        response.setHeader(name, value);
      });
      leaveBody(request, response);
      if (answer.body) {
        response.setHeader("content-length", answer.body.byteLength);
        response.end(answer.body);
      } else {
        response.end();
      }
    },
  };
}
