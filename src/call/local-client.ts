import { randomUUID } from "node:crypto";
import {
  create,
  type DescMessage,
  type DescMethod,
  type DescMethodClientStreaming,
  type DescMethodUnary,
  type DescService,
  type MessageInitShape,
  type MessageShape,
} from "@bufbuild/protobuf";
import { type ContextKey, createContextValues, type HandlerContext } from "@connectrpc/connect";
import { NodeHeaders } from "./headers.ts";
import type { Method } from "./method.ts";
import { requestKey } from "./request-info.ts";

/** Calls the methods of a service that return one message, within the process. */
export type LocalClient<S extends DescService> = {
  readonly [K in keyof S["method"] as S["method"][K] extends
    | DescMethodUnary
    | DescMethodClientStreaming
    ? K
    : never]: S["method"][K] extends DescMethodUnary<infer I, infer O>
    ? (request: MessageInitShape<I>) => Promise<MessageShape<O>>
    : S["method"][K] extends DescMethodClientStreaming<infer I, infer O>
      ? (requests: AsyncIterable<MessageInitShape<I>>) => Promise<MessageShape<O>>
      : never;
};

/**
 * Creates a client that calls a service within the process. Calls fail with the same ConnectErrors as over the network,
 * because the checks are part of the methods.
 *
 * @param methods methods of this service, and maybe of others, which are ignored
 * @param key of the caller among the values of the context
 * @param caller the caller that the methods see
 */
export function createLocalClient<S extends DescService, Caller>(
  service: S,
  methods: readonly Method[],
  key: ContextKey<Caller | undefined>,
  caller: Caller,
): LocalClient<S> {
  const contextOf = (method: DescMethod): HandlerContext => ({
    service,
    method,
    signal: new AbortController().signal,
    timeoutMs: () => undefined,
    protocolName: "local",
    requestMethod: "POST",
    url: "",
    requestHeader: new NodeHeaders({}),
    responseHeader: new NodeHeaders({}),
    responseTrailer: new NodeHeaders({}),
    values: createContextValues()
      .set(key, caller)
      .set(requestKey, {
        id: randomUUID(),
        record: { storeMs: 0, changesSent: 0 },
        end() {},
      }),
  });
  const functions = methods.flatMap((method): (readonly [string, unknown])[] => {
    if (method.desc.parent !== service) return [];
    if (method.kind === "client_streaming") {
      const { desc } = method;
      const invoke = (requests: AsyncIterable<MessageInitShape<typeof desc.input>>) =>
        method.invoke(created(desc.input, requests), contextOf(desc));
      return [[desc.localName, invoke]];
    }
    if (method.kind !== "unary") return [];
    const { desc } = method;
    const invoke = (request: MessageInitShape<typeof desc.input>) =>
      method.invoke(create(desc.input, request), contextOf(desc));
    return [[desc.localName, invoke]];
  });
  return Object.fromEntries(functions) as unknown as LocalClient<S>;
}

async function* created<D extends DescMessage>(
  desc: D,
  messages: AsyncIterable<MessageInitShape<D>>,
): AsyncGenerator<MessageShape<D>> {
  for await (const message of messages) yield create(desc, message);
}
