import { randomUUID } from "node:crypto";
import {
  create,
  type DescMessage,
  type DescMethod,
  type MessageInitShape,
  type MessageShape,
} from "@bufbuild/protobuf";
import {
  type ContextValues,
  createContextValues,
  type HandlerContext,
  type Transport,
} from "@connectrpc/connect";
import { NodeHeaders } from "./headers.ts";
import type { Method, StreamingMethod, UnaryMethod } from "./method.ts";
import { requestKey } from "./request-info.ts";
import { bindRoutes, type GuardedRoutes } from "./routes.ts";

/**
 * Creates a transport for clients that call methods within the process, except those with a single request and a stream of
 * responses. Calls fail with the same ConnectErrors as over the network, because the guards are part of the methods.
 *
 * Connect's `createRouterTransport` would drop the private causes of errors, serialize messages, and load node's `fetch`.
 *
 * @param setValues sets the values of the context of a call, such as its caller
 */
export function createLocalTransport(
  guarded: GuardedRoutes,
  setValues: (values: ContextValues) => ContextValues,
): Transport {
  const methods = bindRoutes(guarded);
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
    values: setValues(
      createContextValues().set(requestKey, { ...requestKey.defaultValue, id: randomUUID() }),
    ),
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
      const method = find(desc) as UnaryMethod;
      try {
        await method.before(context);
        const message = await method.invoke(create(desc.input, input), context);
        return { stream: false, method: desc, message: message as never, ...sentBy(context) };
      } catch (error) {
        throw method.mapError(error, context);
      }
    },
    async stream(desc, _signal, _timeoutMs, _header, inputs) {
      const context = contextOf(desc);
      const method = find(desc) as StreamingMethod;
      async function* call() {
        try {
          await method.before(context);
          yield* method.invoke(created(desc.input, inputs), context);
        } catch (error) {
          throw method.mapError(error, context);
        }
      }
      return { stream: true, method: desc, message: call() as never, ...sentBy(context) };
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
