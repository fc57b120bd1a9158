import { randomUUID } from "node:crypto";
import {
  create,
  type DescMessage,
  type DescMethodClientStreaming,
  type DescMethodUnary,
  type DescService,
  type MessageInitShape,
  type MessageShape,
} from "@bufbuild/protobuf";
import { NewFields } from "./fields.ts";
import type { Call, Method } from "./method.ts";

/** The methods of a service that answer with one message, called within the process. */
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
 * A client that calls a service within the process, with all its checks: what a call over the network
 * refuses is refused here too, with the same ConnectError.
 *
 * @param methods methods of any services, this one's among them
 * @param caller on whose behalf the calls are made
 */
export function createLocalClient<S extends DescService, Caller>(
  service: S,
  methods: readonly Method<Caller>[],
  caller: Caller,
): LocalClient<S> {
  const functions = methods.flatMap((method): (readonly [string, unknown])[] => {
    if (method.desc.parent !== service) return [];
    if (method.kind === "client_streaming") {
      const { desc } = method;
      const invoke = (requests: AsyncIterable<MessageInitShape<typeof desc.input>>) =>
        method.invoke(created(desc.input, requests), localCall(caller));
      return [[desc.localName, invoke]];
    }
    if (method.kind !== "unary") return [];
    const { desc } = method;
    const invoke = (request: MessageInitShape<typeof desc.input>) =>
      method.invoke(create(desc.input, request), localCall(caller));
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

function localCall<Caller>(caller: Caller): Call<Caller> {
  return {
    caller,
    signal: new AbortController().signal,
    deadline: undefined,
    requestId: randomUUID(),
    requestHeaders: new NewFields(),
    responseHeaders: new NewFields(),
    responseTrailers: new NewFields(),
    setHeader: () => {},
    end() {},
  };
}
