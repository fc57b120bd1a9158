import { create } from "@bufbuild/protobuf";
import { type Any, anyPack } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, type HandlerContext, type ServiceImpl } from "@connectrpc/connect";
import {
  BidiStreamRequestSchema,
  ClientStreamRequestSchema,
  type ConformancePayload_RequestInfo,
  ConformancePayload_RequestInfoSchema,
  ConformancePayloadSchema,
  type ConformanceService,
  type Error as ErrorDefinition,
  type Header,
  HeaderSchema,
  IdempotentUnaryRequestSchema,
  ServerStreamRequestSchema,
  type StreamResponseDefinition,
  UnaryRequestSchema,
  type UnaryResponseDefinition,
} from "./gen/connectrpc/conformance/v1/service_pb.ts";

/** The suite's service. It responds as each request specifies, and reports the requests and headers it received. */
export const conformanceFunctions: ServiceImpl<typeof ConformanceService> = {
  unary: (request, context) =>
    respondOnce(request.responseDefinition, [anyPack(UnaryRequestSchema, request)], context),

  idempotentUnary: (request, context) =>
    respondOnce(
      request.responseDefinition,
      [anyPack(IdempotentUnaryRequestSchema, request)],
      context,
    ),

  async unimplemented() {
    throw new ConnectError("not implemented", Code.Unimplemented);
  },

  async clientStream(requests, context) {
    const received: Any[] = [];
    let definition: UnaryResponseDefinition | undefined;
    for await (const request of requests) {
      definition ??= request.responseDefinition;
      received.push(anyPack(ClientStreamRequestSchema, request));
    }
    return respondOnce(definition, received, context);
  },

  async *serverStream(request, context) {
    const definition = request.responseDefinition;
    const info = requestInfo(context, [anyPack(ServerStreamRequestSchema, request)]);
    setMetadata(definition, context);
    yield* responses(definition, 0, info);
    failIfSpecified(definition, info);
  },

  async *bidiStream(requests, context) {
    let definition: StreamResponseDefinition | undefined;
    let isFullDuplex = false;
    let received: Any[] = [];
    let sent = 0;
    for await (const request of requests) {
      if (!definition) {
        definition = request.responseDefinition;
        isFullDuplex = request.fullDuplex;
        setMetadata(definition, context);
      }
      received.push(anyPack(BidiStreamRequestSchema, request));
      if (!isFullDuplex) continue;
      if (sent >= (definition?.responseData.length ?? 0)) break;
      await wait(definition?.responseDelayMs);
      yield payload(definition?.responseData[sent], requestInfo(context, received));
      sent += 1;
      received = [];
    }
    const info = requestInfo(context, received);
    yield* responses(definition, sent, info);
    failIfSpecified(definition, info);
  },
};

async function respondOnce(
  definition: UnaryResponseDefinition | undefined,
  requests: Any[],
  context: HandlerContext,
) {
  setMetadata(definition, context);
  const info = requestInfo(context, requests);
  await wait(definition?.responseDelayMs);
  if (definition?.response.case === "error") throw failure(definition.response.value, info);
  return payload(definition?.response.value, info);
}

/** Yields the responses from an index on. The first of all has the information about the requests. */
async function* responses(
  definition: StreamResponseDefinition | undefined,
  from: number,
  info: ConformancePayload_RequestInfo,
) {
  const data = definition?.responseData ?? [];
  for (const [index, each] of data.entries()) {
    if (index < from) continue;
    await wait(definition?.responseDelayMs);
    yield payload(each, index === 0 ? info : undefined);
  }
}

function failIfSpecified(
  definition: StreamResponseDefinition | undefined,
  info: ConformancePayload_RequestInfo,
): void {
  if (!definition?.error) return;
  throw failure(definition.error, definition.responseData.length === 0 ? info : undefined);
}

function payload(
  data: Uint8Array | undefined,
  requestInfo: ConformancePayload_RequestInfo | undefined,
) {
  return {
    payload: create(ConformancePayloadSchema, {
      ...(data && { data }),
      ...(requestInfo && { requestInfo }),
    }),
  };
}

function failure(
  { code, message, details }: ErrorDefinition,
  info: ConformancePayload_RequestInfo | undefined,
): ConnectError {
  const error = new ConnectError(message ?? "", code as number);
  const all = info ? [...details, anyPack(ConformancePayload_RequestInfoSchema, info)] : details;
  error.details = all.map(({ typeUrl, value }) => ({
    type: typeUrl.slice(typeUrl.lastIndexOf("/") + 1),
    value,
  }));
  return error;
}

function requestInfo(context: HandlerContext, requests: Any[]): ConformancePayload_RequestInfo {
  const timeoutMs = context.timeoutMs();
  return create(ConformancePayload_RequestInfoSchema, {
    requestHeaders: [...context.requestHeader].map(([name, value]) =>
      create(HeaderSchema, { name, value: [value] }),
    ),
    requests,
    ...(timeoutMs !== undefined && { timeoutMs: BigInt(Math.trunc(timeoutMs)) }),
  });
}

function setMetadata(
  definition: { responseHeaders: Header[]; responseTrailers: Header[] } | undefined,
  context: HandlerContext,
): void {
  for (const { name, value } of definition?.responseHeaders ?? []) {
    for (const each of value) context.responseHeader.append(name, each);
  }
  for (const { name, value } of definition?.responseTrailers ?? []) {
    for (const each of value) context.responseTrailer.append(name, each);
  }
}

async function wait(ms: number | undefined): Promise<void> {
  if (ms) await new Promise((resolve) => setTimeout(resolve, ms));
}
