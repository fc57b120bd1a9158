import type { DescMethod, Message } from "@bufbuild/protobuf";
import {
  Code,
  ConnectError,
  type ConnectRouter,
  type ContextValues,
  createConnectRouter,
  createContextKey,
  createContextValues,
  type HandlerContext,
} from "@connectrpc/connect";
import {
  compressedFlag,
  type UniversalHandlerFn,
  type UniversalServerRequest,
} from "@connectrpc/connect/protocol";
import { endStreamFlag } from "@connectrpc/connect/protocol-connect";
import { trailerFlag } from "@connectrpc/connect/protocol-grpc-web";
import {
  universalRequestFromNodeRequest,
  universalResponseToNodeResponse,
} from "@connectrpc/connect-node";
import { abortable, abortableStream } from "../call/abortable.ts";
import { deadlineExceeded } from "../call/deadline.ts";
import type { Call, MapError, Method, UnaryMethod } from "../call/method.ts";
import { present } from "../call/present.ts";
import { publicError } from "../call/public-error.ts";
import { settle, success } from "../call/request-record.ts";
import { limitTime } from "../call/time-limit.ts";
import type { CallerWork } from "../http/caller-work.ts";
import { cacheControl } from "../http/content/caching.ts";
import type { Endpoint } from "../http/endpoint.ts";
import type { ErrorResponse } from "../http/error-response.ts";
import { bodyPieces } from "../http/exchange/body-pieces.ts";
import { joinConnection } from "../http/exchange/connection-streams.ts";
import { discardBody, discardRest } from "../http/exchange/discard-body.ts";
import {
  type NodeServerRequest,
  type NodeServerResponse,
  sendContinue,
} from "../http/exchange/node-http.ts";
import type { Unread } from "../http/exchange/unread.ts";
import { requestIdOf } from "../http/request-id.ts";
import { sendError, unbuffered } from "../http/send-error.ts";
import { removeEndlessTimeouts } from "../http/timeout-headers.ts";
import { binaryOptions, createCheck, envelope, prefixBytes } from "./codec.ts";
import {
  checkFlags,
  codedBodyFault,
  compressions,
  decompressMessage,
  normalizeCodings,
} from "./compression.ts";
import { withText } from "./grpc-web/text-handler.ts";
import { rpcMediaTypeOf } from "./media-type.ts";
import { createPreencoder, type Preencoded } from "./preencoded.ts";
import { otherHttpMethod, otherMediaType, protocolOf } from "./refusal.ts";
import type { RpcOptions } from "./rpc.ts";
import { withCompleteErrors } from "./stream-errors.ts";
import { preparedEnvelopes, wholeEnvelopes } from "./whole-envelopes.ts";

/** The HTTP status of every stream of an RPC protocol, whether it fails or not. */
const statusOk = 200;

const notPost = otherHttpMethod("POST");
const notStream = otherMediaType("application/connect+json");

/** Returns the error for a request that is of no RPC protocol, or whose protocol has no streams: 415 or 405. */
function refusalOf(request: NodeServerRequest): ErrorResponse | undefined {
  if (!rpcMediaTypeOf(request)?.isEnveloped) return notStream;
  return request.method === "POST" ? undefined : notPost;
}

/** The bits of the flags that end a stream, by protocol. Connect's handlers ignore such an envelope of a client. */
const endBits = { grpc: 0, grpc_web: trailerFlag, connect: endStreamFlag };

interface StreamingOptions<Caller> extends RpcOptions<Caller> {
  readonly work: CallerWork<Caller>;
  /** Responds with an error, without reading the request's body. */
  readonly refuse: Endpoint<Caller>["refuse"];
}

/**
 * Serves streaming methods by Connect's own handlers. `unary.ts` serves unary methods.
 *
 * @returns a function that returns the handler of a path
 */
export function createStreaming<Caller>({
  refuse,
  methods,
  work,
  maxMessageBytes,
  jsonOptions,
  refuseField,
  missingDetails,
  reasonOf,
  onFault,
}: StreamingOptions<Caller>): (path: string) => Endpoint<Caller>["handle"] {
  /** Carries the exchange of a call through Connect's handlers to the service functions. */
  const originKey = createContextKey<Origin<Caller> | undefined>(undefined);
  const originOf = (values: ContextValues | undefined) =>
    present(values?.get(originKey), "the caller of a stream");
  const streaming = methods.filter(isStreaming);
  const byDesc = new Map<DescMethod, Method<Caller>>(
    streaming.map((method) => [method.desc, method]),
  );
  const router = createConnectRouter({
    acceptCompression: compressions,
    binaryOptions,
    jsonOptions,
    requestGate: ({ method, values }) => byDesc.get(method)?.authorize(originOf(values).caller),
  });
  for (const method of streaming) register(router, method);
  const handlers = new Map<string, UniversalHandlerFn>(
    router.handlers.map((handler) => [
      handler.requestPath,
      withText(
        withWholeEnvelopes(
          withCompleteErrors(
            handler,
            missingDetails,
            maxMessageBytes(handler.method),
            ({ contextValues }, error) => failed(originOf(contextValues).response, error),
          ),
          maxMessageBytes(handler.method),
          preparerOf(handler.method, maxMessageBytes(handler.method)),
          ({ contextValues }) => originOf(contextValues).response.unread,
        ),
      ),
    ]),
  );

  /**
   * Makes a function that decompresses and checks the messages of a stream within the budget of its caller, so that
   * they are cheap for Connect to parse.
   */
  function preparerOf({ input }: DescMethod, maxBytes: number): Preparer {
    const checks = {
      binary: createCheck(input, true, refuseField),
      json: createCheck(input, false, refuseField),
    };
    return ({ header, contextValues }) => {
      const { caller, response } = originOf(contextValues);
      const protocol = protocolOf(response.req);
      const check = isBinary(response) ? checks.binary : checks.json;
      const isConnect = protocol === "connect";
      const coding = header.get(isConnect ? "connect-content-encoding" : "grpc-encoding");

      function prepare(_: Caller, packed: Uint8Array): Uint8Array | Promise<Uint8Array> {
        const data = packed.subarray(prefixBytes);
        if (checkFlags(packed[0] ?? 0, endBits[protocol])) return packed;
        if (!isCompressed(packed) || !isSupported(coding)) {
          check(data);
          return packed;
        }
        const plain = decompressMessage(work, caller, response, data, coding, maxBytes);
        const next = (message: Uint8Array) => run(message, stepsOf(message), checked);
        return plain instanceof Promise ? plain.then(next) : next(plain);
      }

      function checked(_: Caller, message: Uint8Array): Uint8Array {
        check(message);
        return envelope(0, message);
      }

      function run<T>(data: Uint8Array, steps: number, part: (_: Caller, data: Uint8Array) => T) {
        return work.run(caller, response, data.length, steps, part, data, undefined, undefined);
      }

      let isFirst = true;
      return (packed) => {
        // The turn of the call includes its first message, so that no call holds more memory while it waits again.
        const isIncluded = isFirst && packed.length <= includedBytes && !isCompressed(packed);
        isFirst = false;
        return isIncluded ? prepare(caller, packed) : run(packed, stepsOf(packed), prepare);
      };
    };
  }

  function failed(response: NodeServerResponse, error: ConnectError): void {
    const record = response.record;
    settle(record, record.protocol, error.code, reasonOf?.(error));
  }

  function callOf(context: HandlerContext): LimitedCall<Caller> {
    const { caller, response, heldMs } = originOf(context.values);
    const { signal } = context;
    const controller = new AbortController();
    // Connect measures the timeout from the call of its handler, not from the arrival of the request.
    const leftMs = context.timeoutMs();
    const deadline = leftMs === undefined ? undefined : performance.now() + leftMs - heldMs;
    // A client that does not read must not keep a stream that has ended.
    const abort = (reason: unknown) => {
      controller.abort(reason);
      response.resetUnlessSent();
    };
    const limit = limitTime({ abort }, deadline);
    const end = (reason: unknown) => abort(publicError(reason, onFault));
    const leaveConnection = joinConnection(response.req, end);
    const leave = () => controller.abort(signal.reason);
    if (signal.aborted) leave();
    else signal.addEventListener("abort", leave, { once: true });
    return {
      caller,
      record: response.record,
      setHeader: (name, value) => void response.setHeader(name, value),
      signal: controller.signal,
      deadline,
      release() {
        limit.release();
        leaveConnection();
      },
      requestId: requestIdOf(response),
      requestHeaders: context.requestHeader,
      responseHeaders: context.responseHeader,
      responseTrailers: context.responseTrailer,
      end,
    };
  }

  function callError(error: unknown, { aborted, reason }: AbortSignal): ConnectError {
    // Errors after the end of a call are consequences of it: a write to a reset stream fails, for example.
    if (!aborted) return publicError(error, onFault);
    // Connect's message for a passed deadline differs from that of unary calls. When an HTTP/1.1 client disconnects, the
    // reason is an error of Node's, which is not a bug.
    const end = ConnectError.from(reason);
    return end.code === Code.DeadlineExceeded ? deadlineExceeded() : end;
  }

  /** Runs a method that returns one message. */
  function one(
    work: (call: Call<Caller>) => Promise<Message>,
    context: HandlerContext,
    mapError: MapError | undefined,
  ) {
    const call = callOf(context);
    return abortable(work(call), call.signal)
      .catch((error: unknown) => {
        const sent = callError(error, call.signal);
        throw mapError ? mapError(sent, call) : sent;
      })
      .finally(call.release);
  }

  /** Runs a method that returns a stream of messages. */
  async function* many(
    messages: (call: Call<Caller>) => AsyncIterable<Message>,
    context: HandlerContext,
    preencode: (message: Message) => Preencoded,
  ) {
    const call = callOf(context);
    const { caller, response } = originOf(context.values);
    const isJson = !isBinary(response);
    try {
      for await (const message of abortableStream(messages(call), call.signal)) {
        const encoded = preencode(message);
        // Connect writes JSON for each stream, and compresses each message for each stream.
        const turn = work.turn(caller, response, 1 + Math.floor(encoded.bytes / bytesPerSentStep));
        if (turn) await turn;
        yield isJson ? message : encoded.message;
      }
    } catch (error) {
      throw callError(error, call.signal);
    } finally {
      call.release();
    }
  }

  function register({ rpc }: ConnectRouter, method: StreamingMethod<Caller>): void {
    const options = { readMaxBytes: maxMessageBytes(method.desc) };
    const preencode = createPreencoder(method.desc.output);
    switch (method.kind) {
      case "server_streaming":
        rpc(
          method.desc,
          (request: Message, context: HandlerContext) =>
            many((call) => method.invoke(request, call), context, preencode),
          options,
        );
        break;
      case "client_streaming":
        rpc(
          method.desc,
          (requests: AsyncIterable<Message>, context: HandlerContext) =>
            one((call) => method.invoke(requests, call), context, method.mapError),
          options,
        );
        break;
      case "bidi_streaming":
        rpc(
          method.desc,
          (requests: AsyncIterable<Message>, context: HandlerContext) =>
            many((call) => method.invoke(requests, call), context, preencode),
          options,
        );
        break;
    }
  }

  async function respond(
    handler: UniversalHandlerFn,
    response: NodeServerResponse,
    caller: Caller,
  ): Promise<void> {
    const { req: request, record } = response;
    record.protocol = protocolOf(request);
    record.isStream = true;
    const heldMs = performance.now() - request.arrivedAt;
    const values = createContextValues().set(originKey, { caller, response, heldMs });
    const body = bodyPieces(request, response.unread);
    const node = response.toNode(body.abort);
    const given = universalRequestFromNodeRequest(node.request, node.response, undefined, values);
    removeEndlessTimeouts(given.header);
    given.header.set("content-type", rpcMediaTypeOf(request)?.name ?? "");
    normalizeCodings(given.header);
    const made = await handler({ ...given, body: body.pieces });
    // The body took too long, and the client has got 408 already.
    if (response.headersSent) return;
    discardRest(response);
    for (const [name, value] of Object.entries(cacheControl(response))) {
      response.setHeader(name, value);
    }
    response.setHeader(unbuffered[0], unbuffered[1]);
    node.copyHeaders();
    if (made.status !== statusOk) settle(record, "http", made.status, undefined);
    await universalResponseToNodeResponse(made, node.response);
    if (!response.isReset) settle(record, record.protocol, success, undefined);
  }

  function begin(handler: UniversalHandlerFn, response: NodeServerResponse, caller: Caller): void {
    sendContinue(response);
    respond(handler, response, caller).catch((error: unknown) => {
      if (!response.destroyed && !response.isReset) onFault(error);
      response.destroy();
    });
  }

  return (path) => {
    const handler = handlers.get(path);
    if (!handler) throw new Error(`there is no method ${path}`);
    return (request, response, caller) => {
      if (response.destroyed) return;
      const refusal = refusalOf(request);
      if (refusal) {
        discardBody(response);
        sendError(response, refusal, cacheControl(response));
        return;
      }
      const fault = codedBodyFault(request);
      if (fault) {
        refuse(request, response, fault);
        return;
      }
      const start = () => begin(handler, response, caller);
      work.begin(caller, response, stepsOfCall, start).catch((error: unknown) => {
        if (!response.destroyed) refuse(request, response, publicError(error, onFault));
      });
    };
  };
}

/** The work of beginning a call, which allocates tens of kilobytes, in units of a short request. */
const stepsOfCall = 16;
/** Longest first message that the work of beginning a call includes, in bytes. */
const includedBytes = 1024;

type StreamingMethod<Caller> = Exclude<Method<Caller>, UnaryMethod<Caller>>;

function isStreaming<Caller>(method: Method<Caller>): method is StreamingMethod<Caller> {
  return method.kind !== "unary";
}

/** The HTTP exchange of a call, and its caller. */
interface Origin<Caller> {
  readonly caller: Caller;
  readonly response: NodeServerResponse;
  /** Time between the arrival of the request and the call of Connect's handler, in milliseconds. */
  readonly heldMs: number;
}

/** A call with a deadline. */
interface LimitedCall<Caller> extends Call<Caller> {
  /** Stops the timer of the deadline, and forgets the call. */
  release(): void;
}

/** Bounds the memory that a handler needs for a request body, by yielding only whole envelopes. */
function withWholeEnvelopes(
  handler: UniversalHandlerFn,
  maxMessageBytes: number,
  preparer: Preparer,
  unread: (request: UniversalServerRequest) => Unread | undefined,
): UniversalHandlerFn {
  return (request) => {
    const pieces = request.body as AsyncIterable<Uint8Array>;
    const whole = wholeEnvelopes(pieces, maxMessageBytes, unread(request));
    const body = preparedEnvelopes(whole, maxMessageBytes, preparer(request));
    return handler({ ...request, body });
  };
}

/** Makes the function for the messages of one stream. */
type Preparer = (
  request: UniversalServerRequest,
) => (envelope: Uint8Array) => Uint8Array | Promise<Uint8Array>;

/** Returns whether the messages of a call are binary protobuf, rather than ProtoJSON. */
function isBinary({ req }: NodeServerResponse): boolean {
  return rpcMediaTypeOf(req)?.isBinary === true;
}

function isCompressed(packed: Uint8Array): boolean {
  return ((packed[0] ?? 0) & compressedFlag) !== 0;
}

function isSupported(coding: string | null): coding is string {
  return compressions.some(({ name }) => name === coding);
}

/** The work of Connect's decoder for a message, which cannot be measured, in units of a short request. */
function stepsOf(packed: Uint8Array): number {
  return 4 + Math.floor(packed.length / bytesPerStep);
}
const bytesPerStep = 256;
/** Size of a message in binary protobuf that Connect writes as JSON within one step, in bytes. Measured. */
const bytesPerSentStep = 512;
