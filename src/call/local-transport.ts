import { randomUUID } from "node:crypto";
import {
  create,
  type DescMessage,
  type DescMethod,
  type MessageInitShape,
  type MessageShape,
} from "@bufbuild/protobuf";
import {
  type ContextKey,
  createContextValues,
  type HandlerContext,
  type Transport,
} from "@connectrpc/connect";
import { NodeHeaders } from "./headers.ts";
import type { Method, StreamingMethod, UnaryMethod } from "./method.ts";
import { requestKey } from "./request-info.ts";

/**
 * Creates a transport for clients that call methods within the process, except those with a single request and a stream of
 * responses. Calls fail with the same ConnectErrors as over the network, because the checks are part of the methods.
 *
 * Connect's `createRouterTransport` would drop the private causes of errors, serialize messages, and load node's `fetch`.
 *
 * @param key of the caller among the values of the context
 * @param caller the caller that the methods see
 */
export function createLocalTransport<Caller>(
  methods: readonly Method[],
  key: ContextKey<Caller | undefined>,
  caller: Caller,
): Transport {
  const contextOf = (method: DescMethod): HandlerContext => ({
    service: method.parent,
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
      .set(requestKey, { id: randomUUID(), record: { storeMs: 0, changesSent: 0 }, end() {} }),
  });

  /** @throws Error if there is no such method */
  function find(desc: DescMethod): Method {
    const method = methods.find((each) => each.desc === desc);
    if (!method) throw new Error(`${desc} cannot be called within the process`);
    return method;
  }

  return {
    async unary(desc, _signal, _timeoutMs, _header, input) {
      const context = contextOf(desc);
      const message = await (find(desc) as UnaryMethod).invoke(create(desc.input, input), context);
      return { stream: false, method: desc, message: message as never, ...sentBy(context) };
    },
    async stream(desc, _signal, _timeoutMs, _header, inputs) {
      const context = contextOf(desc);
      const requests = created(desc.input, inputs);
      const messages = (find(desc) as StreamingMethod).invoke(requests, context);
      return { stream: true, method: desc, message: messages as never, ...sentBy(context) };
    },
  };
}

function sentBy({ service, responseHeader, responseTrailer }: HandlerContext) {
  return { service, header: responseHeader, trailer: responseTrailer };
}

async function* created<D extends DescMessage>(
  desc: D,
  messages: AsyncIterable<MessageInitShape<D>>,
): AsyncGenerator<MessageShape<D>> {
  for await (const message of messages) yield create(desc, message);
}
