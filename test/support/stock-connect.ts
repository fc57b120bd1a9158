import { randomUUID } from "node:crypto";
import { createServer, type ServerHttp2Session } from "node:http2";
import type { AddressInfo } from "node:net";
import { create, type DescMethod } from "@bufbuild/protobuf";
import {
  ConnectError,
  createContextKey,
  type HandlerContext,
  type Interceptor,
  type StreamRequest,
  type StreamResponse,
  type UnaryRequest,
  type UnaryResponse,
} from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import type { AnyMessage, Method, Stream } from "../../packages/connect-gateway/src/call/method.ts";
import { requestKey } from "../../packages/connect-gateway/src/call/request-info.ts";
import {
  bindRoutes,
  type GuardedRoutes,
  type Guards,
} from "../../packages/connect-gateway/src/call/routes.ts";
import type { Admitter } from "../../src/admission/admission.ts";
import { createRequestGate } from "../../src/admission/request-gate.ts";
import { callRecordKey, newCallRecord } from "../../src/common/call-context.ts";

type Request = UnaryRequest | StreamRequest;
type Response = UnaryResponse | StreamResponse;
type Send = (message: AnyMessage | Stream<AnyMessage>) => Promise<Response>;

/** The key of the function that passes messages on to the service. The interceptor sets it. */
const sendKey = createContextKey<Send | undefined>(undefined);

function sendOf({ values }: HandlerContext): Send {
  const send = values.get(sendKey);
  if (!send) throw new Error("the call did not come through the interceptor");
  return send;
}

/** Returns an implementation of a method that passes messages on to the service. */
function rest({ methodKind }: DescMethod): unknown {
  const responses = async function* (request: AnyMessage, context: HandlerContext) {
    yield* (await sendOf(context)(request)).message as Stream<AnyMessage>;
  };
  switch (methodKind) {
    case "unary":
      return async (request: AnyMessage, context: HandlerContext) =>
        (await sendOf(context)(request)).message;
    case "client_streaming":
      return async (request: AnyMessage, context: HandlerContext) =>
        (await Array.fromAsync(responses(request, context)))[0];
    default:
      return responses;
  }
}

/**
 * Makes an interceptor of guards, for servers of Connect. Headers that a guard sets are sent with the response, or as the
 * metadata of an error, because an interceptor has no other place for them before the call.
 */
function asInterceptor(guards: Guards): Interceptor {
  const methods = new Map<DescMethod, Method>();
  const bind = (desc: DescMethod) => {
    const implementation = rest(desc) as never;
    const [method] = bindRoutes({ routes: ({ rpc }) => rpc(desc, implementation), guards });
    if (!method) throw new Error("the method is not bound");
    return method;
  };

  return (next) => async (request: Request) => {
    const method = methods.getOrInsertComputed(request.method, bind);
    let sent: Response | undefined;
    const headers = new Headers();
    request.contextValues.set(sendKey, async (message) => {
      const messages =
        request.stream && !(Symbol.asyncIterator in message) ? one(message) : message;
      sent = await next({ ...request, message: messages } as Request);
      return sent;
    });
    const context = {
      ...request,
      values: request.contextValues,
      requestHeader: request.header,
      get responseHeader() {
        return sent?.header ?? headers;
      },
    } as unknown as HandlerContext;

    async function invoke(): Promise<Response["message"]> {
      await method.before(context);
      if (method.kind === "unary") return method.invoke(request.message as AnyMessage, context);
      const messages = request.message as Stream<AnyMessage>;
      const single = method.kind === "server_streaming";
      const [message = create(method.desc.input)] = single ? await Array.fromAsync(messages) : [];
      const responses = method.invoke(single ? message : messages, context)[Symbol.asyncIterator]();
      // The rest of the chain has begun when there is a response, or an error.
      const first = await responses.next();
      return (async function* () {
        for (let { value, done } = first; !done; { value, done } = await responses.next()) {
          yield value;
        }
      })();
    }

    try {
      const message = await invoke();
      for (const [name, value] of headers) sent?.header.set(name, value);
      return { ...sent, message } as Response;
    } catch (caught) {
      const error = method.mapError(caught, context);
      if (error instanceof ConnectError) {
        for (const [name, value] of headers) error.metadata.set(name, value);
      }
      throw error;
    }
  };
}

async function* one<T>(message: T): AsyncGenerator<T> {
  yield message;
}

/** Serves routes by Connect's own adapter, unmodified: admission is its gate, and the guards are an interceptor. */
export async function serveByStockConnect(
  { routes, guards = {} }: GuardedRoutes,
  admitter: Admitter,
): Promise<{ readonly url: string; close(): void }> {
  const gate = createRequestGate({ admitter });

  /** Sets what a context of Connect lacks, then calls the gate. */
  function requestGate(context: HandlerContext): Promise<void> | void {
    const timeoutMs = context.timeoutMs();
    context.values.set(requestKey, {
      ...requestKey.defaultValue,
      id: randomUUID(),
      arrivedAt: performance.now(),
      address: "127.0.0.1",
      ip: "127.0.0.1",
      ...(timeoutMs !== undefined && { deadline: performance.now() + timeoutMs }),
    });
    context.values.set(callRecordKey, newCallRecord());
    return gate(context);
  }

  const interceptors = [asInterceptor(guards)];
  const server = createServer(connectNodeAdapter({ routes, requestGate, interceptors }));
  const sessions = new Set<ServerHttp2Session>();
  server.on("session", (session) => sessions.add(session));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close() {
      server.close();
      for (const session of sessions) session.destroy();
    },
  };
}
