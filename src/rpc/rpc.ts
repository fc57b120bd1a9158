import type { DescMethod } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import type { Method } from "../call/method.ts";
import { cacheControl } from "../http/caching.ts";
import { leaveBody } from "../http/leave-body.ts";
import { type NodeServerRequest, type NodeServerResponse, writeHead } from "../http/node-http.ts";
import { complete } from "./complete.ts";
import { createConnectNode } from "./connect-node.ts";
import { refusalAnswer } from "./refusal.ts";
import { type AnswerUnary, createUnary, type UnaryOptions } from "./unary.ts";

/** What the RPC side of the server is made of. */
export interface RpcOptions<Caller> extends Omit<UnaryOptions, "maxMessageBytes"> {
  readonly methods: readonly Method<Caller>[];
  /** Largest message of a method in bytes, decompressed. */
  readonly maxMessageBytes: (method: DescMethod) => number;
  /** Whether unary calls are answered on the fast path, or by Connect's handlers as all others are. */
  readonly fastPath: boolean;
}

/** Serves methods by Connect, gRPC and gRPC-Web. */
export interface Rpc<Caller> {
  /** Is this the path of a method: `/<package>.<Service>/<Method>`? */
  serves(path: string): boolean;
  /** Is this the path of a method that streams, in either direction? */
  streams(path: string): boolean;
  /** Begins what the answer of a method is likely to need, before the caller is admitted. */
  prepare(path: string): void;
  /** Answers a request for a method, on behalf of a caller that was admitted. */
  handle(
    path: string,
    request: NodeServerRequest,
    response: NodeServerResponse,
    caller: Caller,
  ): void;
  /** Answers with an error, without reading the request's body. */
  refuse(request: NodeServerRequest, response: NodeServerResponse, error: ConnectError): void;
  /** Answers a client that expects an RPC protocol at a path where there is no method. */
  refusePath(path: string, request: NodeServerRequest, response: NodeServerResponse): void;
}

/** Makes the RPC side of the server. */
export function createRpc<Caller>(options: RpcOptions<Caller>): Rpc<Caller> {
  const { methods, fastPath, missingDetails } = options;
  const byPath = new Map(methods.map((method) => [pathOf(method), method]));
  const unary = new Map<string, AnswerUnary<Caller>>();
  for (const method of methods) {
    if (!fastPath || method.kind !== "unary") continue;
    const maxMessageBytes = options.maxMessageBytes(method.desc);
    unary.set(pathOf(method), createUnary(method, { ...options, maxMessageBytes }));
  }
  const connectNode = createConnectNode(options);

  function refuse(
    request: NodeServerRequest,
    response: NodeServerResponse,
    error: ConnectError,
    statusFor = (status: number) => status,
  ): void {
    complete(error, missingDetails);
    const answer = refusalAnswer(error, request.headers["content-type"] ?? "");
    const fields: Record<string, string | number> = {
      ...cacheControl({ request, response }, undefined),
      ...Object.fromEntries(answer.headers),
    };
    if (answer.body) fields["content-length"] = answer.body.byteLength;
    leaveBody(request, response);
    writeHead(response, statusFor(answer.status), fields);
    if (answer.body) response.end(answer.body);
    else response.end();
  }

  return {
    serves: (path) => byPath.has(path),

    streams: (path) => byPath.get(path)?.kind !== "unary",

    prepare: (path) => byPath.get(path)?.prepare?.(),

    handle(path, request, response, caller) {
      if (!unary.get(path)?.(request, response, caller)) {
        connectNode(path, request, response, caller);
      }
    },

    refuse,

    refusePath(path, request, response) {
      refuse(
        request,
        response,
        new ConnectError(`There is no method ${path}.`, Code.Unimplemented),
        // The Connect protocol has 404 for it: https://connectrpc.com/docs/protocol#http-to-error-code
        (status) => (status === 200 ? status : 404),
      );
    },
  };
}

/** The path of a method: `/<package>.<Service>/<Method>`. */
export function pathOf<Caller>({ desc }: Method<Caller>): string {
  return `/${desc.parent.typeName}/${desc.name}`;
}
