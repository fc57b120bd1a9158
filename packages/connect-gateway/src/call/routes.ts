import {
  create,
  type DescMessage,
  type DescMethod,
  type MessageInitShape,
} from "@bufbuild/protobuf";
import {
  type ConnectRouter,
  createMethodImplSpec,
  createServiceImplSpec,
  type HandlerContext,
  type Interceptor,
  type MethodImplSpec,
} from "@connectrpc/connect";
import {
  createAsyncIterable,
  transformInvokeImplementation,
  type UniversalHandlerOptions,
} from "@connectrpc/connect/protocol";
import { checkDeadline } from "./deadline.ts";
import { madeBy, notPromise } from "./guard.ts";
import type { AnyMessage, MapError, Method, Stream } from "./method.ts";
import { anyFunction, anyObject } from "./option-checks.ts";
import { type HasValues, requestOf } from "./request-info.ts";

type Implementation<Request, Response> = (request: Request, context: HandlerContext) => Response;

/** The request of a call: one message, or a stream of them. */
export type AnyRequest = AnyMessage | Stream<AnyMessage>;

/** Calls the implementation of a method with one response. */
export type Next = (request: AnyRequest, context: HandlerContext) => Promise<AnyMessage>;

/**
 * What surrounds methods, such as checks of the caller and the request. Each function is called once for each method, when
 * the methods are bound. One that is absent, or returns undefined, does nothing.
 */
export interface Guards {
  /** @returns a function that runs before the body is read, and throws or rejects with a ConnectError to refuse the call */
  before?(method: DescMethod): ((context: HandlerContext) => Promise<void> | void) | undefined;
  /**
   * @returns a function that runs for each message of a request before the implementation gets it, and throws or rejects
   * with a ConnectError to refuse it. No promise, if the method takes an event id, which HTTP clients send as a header
   */
  message?(
    method: DescMethod,
  ): ((message: AnyMessage, context: HandlerContext) => Promise<void> | void) | undefined;
  /** @returns a function that calls `next`, and returns or changes its result. Only for methods with one response */
  around?(
    method: DescMethod,
  ):
    | ((request: AnyRequest, context: HandlerContext, next: Next) => Promise<AnyMessage>)
    | undefined;
  /**
   * @returns a function that returns whether a call takes so much work, such as for a long list, that few of its kind run at
   * once. Only for methods with one request and one response. A call makes room for the next one at its deadline, or when its client
   * disconnects: its implementation should then stop, as the signal of its context says
   */
  isLong?(method: DescMethod): ((request: AnyMessage) => boolean) | undefined;
  /** @returns a function that maps an error of a call to the error to send */
  error?(method: DescMethod): MapError | undefined;
}

/** The options of Connect for a service or method that are used here. */
type RouteOptions = Pick<Partial<UniversalHandlerOptions>, "readMaxBytes" | "interceptors">;

/** Services as they are registered with Connect, and the guards before their methods. */
export interface GuardedRoutes {
  readonly routes: (router: ConnectRouter) => void;
  readonly guards?: Guards;
  /** Interceptors of Connect, which run after the guards. Those of a service or method replace them, as with Connect. */
  readonly interceptors?: Interceptor[];
  /** Whether calls pass no gate; by default, they do. */
  readonly isPublic?: boolean;
}

/**
 * Returns the methods of the services that are registered, with the guards before each of them. The guards hold for every
 * protocol, because all protocols call these methods.
 *
 * @throws Error for an option of a route that would have no effect; TypeError for a function that returns a wrong type
 */
export function bindRoutes(given: GuardedRoutes): Method[] {
  const { routes, guards = {}, interceptors = [], isPublic } = given;
  const methods: Method[] = [];
  const add = (spec: MethodImplSpec, options: RouteOptions = {}) => {
    const { readMaxBytes, interceptors: own = interceptors, ...others } = options;
    const [other] = Object.keys(others);
    if (other !== undefined) throw new Error(`${spec.method}: routes have no option ${other}`);
    methods.push({ ...bindMethod(intercepted(spec, own), guards), isPublic, readMaxBytes });
  };
  const router: ConnectRouter = {
    handlers: [],
    service(service, implementation, options) {
      anyObject(implementation, `the implementation of ${service}`);
      const { methods: specs } = createServiceImplSpec(service, implementation);
      for (const spec of Object.values(specs)) add(spec, options);
      return router;
    },
    rpc(method, implementation, options) {
      anyFunction(implementation, `the implementation of ${method}`);
      add(createMethodImplSpec(method, implementation), options);
      return router;
    },
  };
  notPromise<unknown>(routes(router), isPublic ? "publicRoutes" : "routes");
  return methods;
}

const unused = () => Promise.reject(new Error("This call only checks an interceptor"));

/** Returns an implementation whose calls pass interceptors, the first one outermost. @throws TypeError if one returns no function */
function intercepted(spec: MethodImplSpec, interceptors: Interceptor[]): MethodImplSpec {
  if (interceptors.length === 0) return spec;
  for (const interceptor of interceptors) madeBy(interceptor(unused), "interceptors");
  const stream = (requests: Stream<AnyMessage>, context: HandlerContext) =>
    transformInvokeImplementation(spec, plain(context), interceptors)(requests);
  const single = async (requests: Stream<AnyMessage>, context: HandlerContext) =>
    (await Array.fromAsync(stream(requests, context)))[0];
  const implementations = {
    unary: (request: AnyMessage, context: HandlerContext) =>
      single(createAsyncIterable([request]), context),
    server_streaming: (request: AnyMessage, context: HandlerContext) =>
      stream(createAsyncIterable([request]), context),
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

type AnyInit = MessageInitShape<DescMessage>;

function pass(): void {}

function bindMethod({ kind, method: desc, impl }: MethodImplSpec, guards: Guards): Method {
  const made = <T>(guard: T, name: keyof Guards): T => guard && madeBy(guard, `guards.${name}`);
  const check = made(guards.message?.(desc), "message") ?? pass;
  const around = made(guards.around?.(desc), "around");
  const mapError = made(guards.error?.(desc), "error");
  if (around && (kind === "server_streaming" || kind === "bidi_streaming")) {
    throw new Error(`${desc}: guards cannot be around a stream of responses`);
  }
  const complete = (response: AnyInit) => create(desc.output, response);

  /** A chain of promises costs less than async functions that call each other. */
  function respond(request: AnyRequest, context: HandlerContext): Promise<AnyMessage> {
    try {
      checkDeadline(requestOf(context).deadline);
      const invoke = impl as Implementation<AnyRequest, Promise<AnyInit> | AnyInit>;
      return Promise.resolve(invoke(request, context)).then(complete);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  const next: Next = around ? (request, context) => around(request, context, respond) : respond;

  function invokeUnary(request: AnyMessage, context: HandlerContext): Promise<AnyMessage> {
    try {
      const checked = check(request, context);
      return checked ? checked.then(() => next(request, context)) : next(request, context);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  async function* checkEach(
    requests: Stream<AnyMessage>,
    context: HandlerContext,
  ): AsyncGenerator<AnyMessage> {
    for await (const request of requests) {
      await check(request, context);
      yield request;
    }
  }

  async function* invokeStreaming(
    request: AnyRequest,
    context: HandlerContext,
  ): AsyncGenerator<AnyMessage> {
    const isStream = Symbol.asyncIterator in request;
    if (!isStream) await check(request, context);
    const checked = isStream ? checkEach(request, context) : request;
    if (kind === "client_streaming") {
      yield await next(checked, context);
      return;
    }
    const invoke = impl as Implementation<AnyRequest, Stream<AnyInit>>;
    for await (const response of invoke(checked, context)) yield complete(response);
  }

  const common = {
    before: made(guards.before?.(desc), "before") ?? pass,
    check,
    isLong: made(guards.isLong?.(desc), "isLong") ?? (() => false),
    mapError: (error: unknown, context: HasValues) =>
      mapError ? notPromise(mapError(error, context), "guards.error") : error,
  };
  return kind === "unary"
    ? { ...common, kind, desc, invoke: invokeUnary }
    : { ...common, kind, desc, invoke: invokeStreaming };
}
