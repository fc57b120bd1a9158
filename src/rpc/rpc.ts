import type { DescMethod, DescMethodUnary } from "@bufbuild/protobuf";
import { Code, type ConnectError } from "@connectrpc/connect";
import { callError } from "../call/call-error.ts";
import type { Method, UnaryMethod } from "../call/method.ts";
import { publicError } from "../call/public-error.ts";
import { otherOperation, settle, success } from "../call/request-record.ts";
import { CallerWork } from "../http/caller-work.ts";
import { cacheControl } from "../http/content/caching.ts";
import { worthCompressing } from "../http/content/compression.ts";
import type { Endpoint, Endpoints } from "../http/endpoint.ts";
import type { ErrorResponse } from "../http/error-response.ts";
import { discardBody } from "../http/exchange/discard-body.ts";
import type { NodeServerRequest, NodeServerResponse } from "../http/exchange/node-http.ts";
import { readBody } from "../http/exchange/read-body.ts";
import { HttpCall } from "../http/http-call.ts";
import { invokeUnary } from "../http/invoke-unary.ts";
import { splitTarget } from "../http/request-target.ts";
import { sendError } from "../http/send-error.ts";
import { createCodec, type JsonOptions, type RefuseField, type Written } from "./codec.ts";
import { compressedWithoutEncoding, decompressMessage } from "./compression.ts";
import { allowsGet } from "./connect/get.ts";
import { connectUnary } from "./connect/unary.ts";
import { addMissingDetails, type MissingDetails } from "./error-details.ts";
import { grpcUnary } from "./grpc/unary.ts";
import { grpcWebUnary } from "./grpc-web/unary.ts";
import { messageTooLarge } from "./limits/size-limit.ts";
import { rpcMediaTypeOf } from "./media-type.ts";
import {
  errorOnlyResponse,
  otherEncoding,
  otherHttpMethod,
  otherMediaType,
  protocolOf,
} from "./refusal.ts";
import { createStreaming } from "./streaming.ts";
import type { Packed, UnaryExchange, UnaryProtocol } from "./unary-protocol.ts";

/** What the RPC interface needs. */
export interface RpcOptions<Caller> {
  readonly methods: readonly Method<Caller>[];
  /** Runs the work of callers whose cost depends on their messages. */
  readonly work?: CallerWork<Caller>;
  /** Returns the size limit of a method's messages, in bytes after decompression. */
  readonly maxMessageBytes: (method: DescMethod) => number;
  /** Options of ProtoJSON. */
  readonly jsonOptions: JsonOptions;
  /** Makes the error of a field that is out of its bounds. */
  readonly refuseField?: RefuseField;
  /** Returns the details to add to an error. The errors of the protocols have none. */
  readonly missingDetails: MissingDetails;
  /** Returns the stable reason of an error that is sent, for the record of the request. */
  readonly reasonOf?: (error: ConnectError) => string;
  /** Called with every error that is not a ConnectError, which is a bug. */
  readonly onFault: (error: unknown) => void;
}

/** The RPC interface: serves methods by Connect, gRPC and gRPC-Web. */
export interface Rpc<Caller> extends Endpoints<Caller> {
  /** The endpoints of the methods, by their paths `/<package>.<Service>/<Method>`. */
  readonly byPath: ReadonlyMap<string, Endpoint<Caller>>;
}

/** Makes the RPC interface. */
export function createRpc<Caller>(given: RpcOptions<Caller>): Rpc<Caller> {
  const options = { ...given, work: given.work ?? new CallerWork<Caller>() };
  const { methods, missingDetails, reasonOf } = options;
  const streams = createStreaming({ ...options, refuse });
  const byPath = new Map(
    methods.map((method): [string, Endpoint<Caller>] => {
      const { desc } = method;
      const path = pathOf(method);
      const handle = method.kind === "unary" ? createUnary(method, options) : streams(path);
      return [path, { method: desc, operation: { route: path }, handle, refuse, protocolOf }];
    }),
  );

  function refuse(
    request: NodeServerRequest,
    response: NodeServerResponse,
    error: ConnectError,
    statusFor = (status: number) => status,
  ): void {
    addMissingDetails(error, missingDetails);
    const { status, headers, body } = errorOnlyResponse(error, rpcMediaTypeOf(request));
    settle(response.record, protocolOf(request), error.code, reasonOf?.(error));
    const allHeaders: Record<string, string | number> = {
      ...cacheControl(response),
      ...Object.fromEntries(headers),
    };
    if (body) allHeaders["content-length"] = body.byteLength;
    discardBody(response);
    response.writeHead(statusFor(status), allHeaders);
    if (body) response.end(body);
    else response.end();
  }

  return {
    byPath,
    find: ({ path }) => byPath.get(path),
    unknown: {
      method: undefined,
      operation: otherOperation,
      handle(request, response) {
        const { path } = splitTarget(request.url ?? "/");
        refuse(
          request,
          response,
          callError(`There is no method ${path}.`, Code.Unimplemented),
          // Connect requires 404 here: https://connectrpc.com/docs/protocol#http-to-error-code
          (status) => (status === 200 ? status : 404),
        );
      },
      refuse,
      protocolOf,
    },
  };
}

/** Returns the path of a method: `/<package>.<Service>/<Method>`. */
function pathOf<Caller>({ desc }: Method<Caller>): string {
  return `/${desc.parent.typeName}/${desc.name}`;
}

const nothing = new Uint8Array(0);

/** The protocols, the most frequent first. */
const protocols: readonly UnaryProtocol[] = [grpcUnary, connectUnary, grpcWebUnary];

/**
 * Serves a unary method in every RPC protocol. A request of no RPC protocol gets 405 or 415.
 *
 * Connect's own handlers could do this too, but spend much of their time on streams, signals and headers that unary
 * calls seldom need.
 */
function createUnary<Caller>(
  method: UnaryMethod<Caller>,
  options: RpcOptions<Caller> & { readonly work: CallerWork<Caller> },
): Endpoint<Caller>["handle"] {
  const { work, jsonOptions, refuseField, missingDetails, reasonOf, onFault } = options;
  const { desc } = method;
  const maxMessageBytes = options.maxMessageBytes(desc);
  const binary = createCodec(desc, maxMessageBytes, undefined, refuseField);
  const json = createCodec(desc, maxMessageBytes, jsonOptions, refuseField);

  /** @throws as the promise that it returns rejects */
  function begin(
    exchange: UnaryExchange,
    response: NodeServerResponse,
    call: HttpCall<Caller>,
  ): Promise<Written> {
    const { caller } = call;
    method.authorize(caller);
    if (exchange.compression.error) throw exchange.compression.error;
    if (exchange.timeout.error) throw exchange.timeout.error;
    const reading = exchange.messageInQuery ? nothing : bodyOf(exchange, response);
    const callWith = (body: Uint8Array) =>
      work.run(caller, response, body.length, 0, invokePacked, exchange, body, call);
    return reading instanceof Promise ? reading.then(callWith) : callWith(reading);
  }

  /** Sends the response, which is compressed if the client accepts that and it is worth it. */
  function send(
    exchange: UnaryExchange,
    response: NodeServerResponse,
    call: HttpCall<Caller>,
    content: Written,
  ): Promise<void> | undefined {
    const coding = content.length < worthCompressing ? null : exchange.compression.response;
    if (coding) {
      return work
        .compress(call.caller, response, content, coding)
        .then((data) => succeed(exchange, response, call, { data, isCompressed: true }));
    }
    succeed(exchange, response, call, { data: content.data, isCompressed: false });
    return undefined;
  }

  function succeed(
    exchange: UnaryExchange,
    response: NodeServerResponse,
    call: HttpCall<Caller>,
    packed: Packed,
  ): void {
    if (response.destroyed) return;
    exchange.succeed(response, packed, call);
    settle(response.record, exchange.protocol, success, undefined);
  }

  function fail(
    exchange: UnaryExchange,
    response: NodeServerResponse,
    call: HttpCall<Caller>,
    error: unknown,
  ): void {
    // The client has disconnected, or has got 408 because the body took too long.
    if (response.destroyed || response.headersSent) return;
    try {
      discardBody(response);
      const sent = publicError(error, onFault);
      addMissingDetails(sent, missingDetails);
      settle(response.record, exchange.protocol, sent.code, reasonOf?.(sent));
      exchange.fail(response, sent, call);
    } catch (fault) {
      onFault(fault);
      response.destroy();
    }
  }

  /** Calls the method with a message as it was sent. Does the expensive work before the first asynchronous step. */
  function invokePacked(
    caller: Caller,
    exchange: UnaryExchange,
    body: Uint8Array,
    call: HttpCall<Caller>,
  ): Promise<Written> {
    const { data, isCompressed } = exchange.messageInQuery?.() ?? exchange.unpack(body);
    if (!isCompressed) return invokeWith(caller, exchange, data, call);
    const plain = decompressed(exchange, data, call);
    if (!(plain instanceof Promise)) return invokeWith(caller, exchange, plain, call);
    return plain.then((message) =>
      work.run(caller, call.response, message.length, 0, invokeWith, exchange, message, call),
    );
  }

  function invokeWith(
    _caller: Caller,
    { isBinary }: UnaryExchange,
    data: Uint8Array,
    call: HttpCall<Caller>,
  ): Promise<Written> {
    const codec = isBinary ? binary : json;
    return invokeUnary(method, codec.read(data), call, work, codec.write);
  }

  function decompressed(
    { compression }: UnaryExchange,
    data: Uint8Array,
    { caller, response }: HttpCall<Caller>,
  ): Promise<Uint8Array> | Uint8Array {
    const name = compression.request?.name;
    if (name === undefined) throw compressedWithoutEncoding();
    return decompressMessage(work, caller, response, data, name, maxMessageBytes);
  }

  function bodyOf(
    exchange: UnaryExchange,
    response: NodeServerResponse,
  ): Promise<Uint8Array> | Uint8Array {
    return readBody(response, exchange.longestBody(maxMessageBytes), (start) =>
      messageTooLarge(exchange.declaredSize(start), maxMessageBytes),
    );
  }

  return (request, response, caller) => {
    const exchange = recognize(request, desc, maxMessageBytes);
    if (!exchange) {
      discardBody(response);
      sendError(response, unrecognized(request, desc), cacheControl(response));
      return undefined;
    }
    const { protocol, timeout } = exchange;
    response.record.protocol = protocol;
    const call = new HttpCall(caller, response, timeout.timeoutMs);
    const failed = (error: unknown) => fail(exchange, response, call, error);
    try {
      return begin(exchange, response, call)
        .then((content) => send(exchange, response, call, content))
        .catch(failed);
    } catch (error) {
      failed(error);
      return undefined;
    }
  };
}

function recognize(
  request: NodeServerRequest,
  desc: DescMethodUnary,
  maxMessageBytes: number,
): UnaryExchange | undefined {
  for (const protocol of protocols) {
    const exchange = protocol(request, desc, maxMessageBytes);
    if (exchange) return exchange;
  }
  return undefined;
}

/** Returns the error for a request that is of no RPC protocol: 405 or 415. */
function unrecognized({ method }: NodeServerRequest, desc: DescMethodUnary): ErrorResponse {
  const allow = allowsGet(desc) ? ["GET", "POST"] : ["POST"];
  if (!allow.includes(method ?? "")) return otherHttpMethod(allow.join(", "));
  return method === "GET" ? otherEncoding() : otherMediaType("application/json");
}
