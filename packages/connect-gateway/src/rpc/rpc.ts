import type { DescMethod } from "@bufbuild/protobuf";
import { Code } from "@connectrpc/connect";
import { callError } from "../call/call-error.ts";
import { lastResort } from "../call/public-error.ts";
import { settle } from "../call/request-record.ts";
import { setCacheControl } from "../http/content/caching.ts";
import type { Exchange } from "../http/exchange/exchange.ts";
import { type Endpoints, HttpContext, type Open, trySend } from "../http/http-context.ts";
import { splitTarget } from "../http/request-target.ts";
import { sendError } from "../http/send-error.ts";
import { binaryCodec, jsonCodec } from "./codec.ts";
import { allowsGet, parseGet } from "./connect/get.ts";
import { rpcMediaTypeOf } from "./media-type.ts";
import { otherForm, protocolOf, sendConnectError, sendErrorOnly } from "./refusal.ts";
import {
  ConnectUnaryContext,
  EnvelopedContext,
  type RpcOptions,
  type RpcRoute,
} from "./rpc-context.ts";
import { toFailure } from "./sent-error.ts";

/** Returns the path of a method in all RPC protocols. */
export const rpcPath = (desc: DescMethod) => `/${desc.parent.typeName}/${desc.name}`;

/** Makes the RPC interface, which serves methods by Connect, gRPC and gRPC-Web. */
export function createRpc(options: RpcOptions): Endpoints {
  const { methods, json, refuseField } = options;
  const byPath = new Map(
    methods.map((method): [string, Open] => {
      const { desc } = method;
      const path = rpcPath(desc);
      const route: RpcRoute = {
        method,
        operation: { route: path },
        options,
        binary: binaryCodec(desc, json.style.annotations, refuseField),
        json: jsonCodec(desc, json, refuseField),
      };
      return [path, (response) => open(route, response)];
    }),
  );
  return {
    open: ({ path }, response) => byPath.get(path)?.(response),
    openUnknown: (response) => new OtherRequest(undefined, options, response),
  };
}

function open(route: RpcRoute, response: Exchange): HttpContext {
  const { desc, kind } = route.method;
  const get =
    response.method === "GET" && allowsGet(desc) ? parseGet(response.url ?? "") : undefined;
  const type = get?.type ?? (response.method === "POST" ? rpcMediaTypeOf(response) : undefined);
  const isUnary = kind === "unary";
  const isOther =
    !type || (type.protocol === "connect" && isUnary === (type.framing !== undefined));
  if (isOther) return new OtherRequest(route, route.options, response);
  if (type.framing) return new EnvelopedContext(route, type, response);
  const context = new ConnectUnaryContext(route, type, response);
  context.get = get;
  return context;
}

/** A request for a method that does not exist, or that no protocol has for the method. */
class OtherRequest extends HttpContext {
  readonly options: RpcOptions;
  /** The HTTP status of its error over Connect; by default, that of the code. */
  status: number | undefined = undefined;

  constructor(route: RpcRoute | undefined, options: RpcOptions, response: Exchange) {
    super(route?.method.desc, response);
    this.options = options;
    response.record.protocol = protocolOf(response);
    if (route) response.record.operation = route.operation;
  }

  serve(): void {
    const { response, method } = this;
    if (method) {
      response.discardBody();
      setCacheControl(response);
      sendError(response, otherForm(method, response));
    } else {
      const { path } = splitTarget(response.url ?? "/");
      // Connect requires 404 here: https://connectrpc.com/docs/protocol#http-to-error-code
      this.status = 404;
      this.refuse(callError(`There is no method ${path}.`, Code.Unimplemented));
    }
  }

  refuse(error: unknown): void {
    this.response.discardBody();
    trySend(this, error, sendRefusal);
  }
}

function sendRefusal({ response, options, status }: OtherRequest, error: unknown): void {
  const { sent, code, reason } = toFailure(error, options);
  const type = rpcMediaTypeOf(response);
  if (type?.framing) sendErrorOnly(response, type, sent);
  else sendConnectError(response, sent, {}, error === lastResort ? undefined : status);
  settle(response.record, response.record.protocol, code, reason);
}
