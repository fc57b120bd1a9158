import { randomUUID } from "node:crypto";
import { create, type DescMethod } from "@bufbuild/protobuf";
import {
  Code,
  ConnectError,
  type ContextValues,
  createContextValues,
  type HandlerContext,
  type Transport,
} from "@connectrpc/connect";
import { callError } from "./call-error.ts";
import { NodeHeaders } from "./headers.ts";
import type { AnyMessage, Method, StreamingMethod, UnaryMethod } from "./method.ts";
import { publicError } from "./public-error.ts";
import { requestKey } from "./request-info.ts";
import { bindRoutes, type GuardedRoutes } from "./routes.ts";
import { limitTime } from "./time-limit.ts";

type HeaderInit = ConstructorParameters<typeof Headers>[0];

/**
 * Creates a transport for clients that call methods within the process. Headers, timeouts and signals work, and calls fail
 * with the same ConnectErrors as over the network. In addition, these have their private causes: that of `internal` is the bug.
 *
 * Connect's `createRouterTransport` would drop the causes, serialize messages, and load node's `fetch`.
 *
 * @param setValues sets the values of the context of a call, such as its caller
 */
export function createLocalTransport(
  guarded: GuardedRoutes,
  setValues: (values: ContextValues) => ContextValues,
): Transport {
  const methods = bindRoutes(guarded);

  /** @throws ConnectError if there is no such method, or the signal is aborted */
  function begin(
    desc: DescMethod,
    signal: AbortSignal | undefined,
    timeoutMs: number | undefined,
    header: HeaderInit,
  ) {
    const method = methods.find((each) => each.desc === desc);
    if (!method) throw callError(`${desc} is not implemented`, Code.Unimplemented);
    if (signal?.aborted) throw ConnectError.from(signal.reason, Code.Canceled);
    const deadline = timeoutMs === undefined ? undefined : performance.now() + timeoutMs;
    const controller = new AbortController();
    const limit = limitTime(controller, deadline);
    const cancel = () => limit.end(ConnectError.from(signal?.reason, Code.Canceled));
    signal?.addEventListener("abort", cancel);
    const request = { ...requestKey.defaultValue, id: randomUUID(), deadline, end: limit.end };
    const context: HandlerContext = {
      service: desc.parent,
      method: desc,
      signal: controller.signal,
      timeoutMs: () => (deadline === undefined ? undefined : deadline - performance.now()),
      protocolName: "local",
      requestMethod: "POST",
      url: "",
      requestHeader: nodeHeaders(header),
      responseHeader: new NodeHeaders({}),
      responseTrailer: new NodeHeaders({}),
      values: setValues(createContextValues().set(requestKey, request)),
    };
    const release = () => {
      limit.release();
      signal?.removeEventListener("abort", cancel);
    };
    return { method, context, wait: limit.wait, release };
  }

  return {
    // biome-ignore lint/complexity/useMaxParams: the interface of Connect
    async unary(desc, signal, timeoutMs, header, input) {
      const { method, context, wait, release } = begin(desc, signal, timeoutMs, header);
      const call = async () => {
        await method.before(context);
        return (method as UnaryMethod).invoke(create(desc.input, input), context);
      };
      try {
        const message = await wait(call());
        return { stream: false, method: desc, message: message as never, ...sentBy(context) };
      } catch (error) {
        throw failure(method, error, context);
      } finally {
        release();
      }
    },
    // biome-ignore lint/complexity/useMaxParams: the interface of Connect
    async stream(desc, signal, timeoutMs, header, inputs) {
      const { method, context, wait, release } = begin(desc, signal, timeoutMs, header);
      async function* created(): AsyncGenerator<AnyMessage, undefined> {
        for await (const message of inputs) yield create(desc.input, message);
      }
      async function* call() {
        await method.before(context);
        const requests = created();
        const isSingle = desc.methodKind === "server_streaming";
        const request = isSingle ? ((await requests.next()).value as AnyMessage) : requests;
        yield* (method as StreamingMethod).invoke(request, context);
      }
      async function* responses() {
        const messages = call();
        try {
          for (;;) {
            const { done, value } = await wait(messages.next());
            if (done) return;
            yield value;
          }
        } catch (error) {
          throw failure(method, error, context);
        } finally {
          release();
          // Without await: a method that ignores its signal could take long to return.
          messages.return().catch(() => undefined);
        }
      }
      return { stream: true, method: desc, message: responses() as never, ...sentBy(context) };
    },
  };
}

function sentBy({ service, responseHeader, responseTrailer }: HandlerContext) {
  return { service, header: responseHeader, trailer: responseTrailer };
}

/** Returns the error that a client gets, with the response headers. Its server would report a bug; here it is the cause. */
function failure(method: Method, error: unknown, context: HandlerContext): ConnectError {
  let failed: ConnectError;
  try {
    failed = publicError(method.mapError(error, context), () => undefined);
  } catch (bug) {
    failed = publicError(bug, () => undefined);
  }
  for (const [name, value] of context.responseHeader) failed.metadata.set(name, value);
  return failed;
}

function nodeHeaders(given: HeaderInit = {}): NodeHeaders {
  const headers = new NodeHeaders({});
  const pairs = Symbol.iterator in given ? given : Object.entries(given);
  for (const [name, value] of pairs) headers.append(String(name), String(value));
  return headers;
}
