import type { HandlerContext, Interceptor, MethodImplSpec } from "@connectrpc/connect";
import { transformInvokeImplementation } from "@connectrpc/connect/protocol";
import { madeBy } from "./guard.ts";
import type { AnyMessage, Stream } from "./method.ts";

const unused = () => Promise.reject(new Error("This call only checks an interceptor"));

/** Returns an implementation whose calls pass interceptors, the first one outermost. @throws TypeError if one returns no function */
export function intercepted(spec: MethodImplSpec, interceptors: Interceptor[]): MethodImplSpec {
  if (interceptors.length === 0) return spec;
  for (const interceptor of interceptors) madeBy(interceptor(unused), "interceptors");
  const stream = (requests: Stream<AnyMessage>, context: HandlerContext) =>
    transformInvokeImplementation(spec, plain(context), interceptors)(requests);
  const single = async (requests: Stream<AnyMessage>, context: HandlerContext) =>
    (await Array.fromAsync(stream(requests, context)))[0];
  const implementations = {
    unary: (request: AnyMessage, context: HandlerContext) => single(only(request), context),
    server_streaming: (request: AnyMessage, context: HandlerContext) =>
      stream(only(request), context),
    client_streaming: single,
    bidi_streaming: stream,
  };
  return { ...spec, impl: implementations[spec.kind] } as MethodImplSpec;
}

/** Connect copies the own properties of a context. Those of the gateway's are getters, which are not copied. */
function plain(context: HandlerContext): HandlerContext {
  const { service, method, signal, protocolName, requestMethod, url, values } = context;
  const { requestHeader, responseHeader, responseTrailer } = context;
  return {
    ...{ service, method, signal, protocolName, requestMethod, url, values },
    ...{ requestHeader, responseHeader, responseTrailer },
    timeoutMs: () => context.timeoutMs(),
  };
}

async function* only<T>(message: T): AsyncGenerator<T> {
  yield message;
}
