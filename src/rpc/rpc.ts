import type { DescMethod } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import type { Method } from "../call/method.ts";
import { type Operation, settle } from "../call/request-record.ts";
import { CallerWork } from "../http/caller-work.ts";
import { cacheControl } from "../http/content/caching.ts";
import { discardBody } from "../http/exchange/discard-body.ts";
import {
  type NodeServerRequest,
  type NodeServerResponse,
  recordOf,
} from "../http/exchange/node-http.ts";
import { addMissingDetails } from "./error-details.ts";
import { errorOnlyResponse, protocolOf } from "./refusal.ts";
import { createStreaming } from "./streaming.ts";
import { createUnary, type HandleUnary, type UnaryOptions } from "./unary.ts";

/** What the RPC interface needs. */
export interface RpcOptions<Caller> extends Omit<UnaryOptions<Caller>, "maxMessageBytes"> {
  readonly methods: readonly Method<Caller>[];
  /** Returns the size limit of a method's messages, in bytes after decompression. */
  readonly maxMessageBytes: (method: DescMethod) => number;
}

/** A method, and the operation that its requests are counted by. */
export interface RpcMethod {
  readonly desc: DescMethod;
  readonly operation: Operation;
}

/** The RPC interface: serves methods by Connect, gRPC and gRPC-Web. */
export interface Rpc<Caller> {
  /** Returns the method of a path `/<package>.<Service>/<Method>`, or undefined for any other path. */
  methodOf(path: string): RpcMethod | undefined;
  /** Responds to a request of an admitted caller for a method. */
  handle(
    path: string,
    request: NodeServerRequest,
    response: NodeServerResponse,
    caller: Caller,
  ): void;
  /** Writes down the protocol of a request that gets no response, because its client has disconnected. */
  identify(request: NodeServerRequest, response: NodeServerResponse): void;
  /** Responds with an error, without reading the request's body. */
  refuse(request: NodeServerRequest, response: NodeServerResponse, error: ConnectError): void;
  /** Responds unimplemented to a client that expects an RPC protocol, at a path without a method. */
  refusePath(path: string, request: NodeServerRequest, response: NodeServerResponse): void;
}

/** Makes the RPC interface. */
export function createRpc<Caller>(given: RpcOptions<Caller>): Rpc<Caller> {
  const options = { ...given, work: given.work ?? new CallerWork<Caller>() };
  const { methods, missingDetails, reasonOf } = options;
  const byPath = new Map<string, RpcMethod>(
    methods.map((method) => {
      const route = pathOf(method);
      return [route, { desc: method.desc, operation: { route } }];
    }),
  );
  const unary = new Map<string, HandleUnary<Caller>>();
  for (const method of methods) {
    if (method.kind !== "unary") continue;
    const maxMessageBytes = options.maxMessageBytes(method.desc);
    unary.set(pathOf(method), createUnary(method, { ...options, maxMessageBytes }));
  }
  const handleStream = createStreaming({ ...options, refuse });

  function refuse(
    request: NodeServerRequest,
    response: NodeServerResponse,
    error: ConnectError,
    statusFor = (status: number) => status,
  ): void {
    addMissingDetails(error, missingDetails);
    const contentType = request.headers["content-type"] ?? "";
    const { status, headers, body } = errorOnlyResponse(error, contentType);
    settle(recordOf(response), protocolOf(contentType), error.code, reasonOf?.(error));
    const allHeaders: Record<string, string | number> = {
      ...cacheControl({ request, response }, undefined),
      ...Object.fromEntries(headers),
    };
    if (body) allHeaders["content-length"] = body.byteLength;
    discardBody(request, response);
    response.writeHead(statusFor(status), allHeaders);
    if (body) response.end(body);
    else response.end();
  }

  return {
    methodOf: (path) => byPath.get(path),

    handle(path, request, response, caller) {
      const handleUnary = unary.get(path);
      if (handleUnary) handleUnary(request, response, caller);
      else handleStream(path, request, response, caller);
    },

    identify(request, response) {
      recordOf(response).protocol = protocolOf(request.headers["content-type"] ?? "");
    },

    refuse,

    refusePath(path, request, response) {
      refuse(
        request,
        response,
        new ConnectError(`There is no method ${path}.`, Code.Unimplemented),
        // Connect requires 404 here: https://connectrpc.com/docs/protocol#http-to-error-code
        (status) => (status === 200 ? status : 404),
      );
    },
  };
}

/** Returns the path of a method: `/<package>.<Service>/<Method>`. */
export function pathOf<Caller>({ desc }: Method<Caller>): string {
  return `/${desc.parent.typeName}/${desc.name}`;
}
