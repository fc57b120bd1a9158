import {
  create,
  type DescMessage,
  type DescMethod,
  type Message,
  type MessageInitShape,
} from "@bufbuild/protobuf";
import {
  type ConnectRouter,
  createMethodImplSpec,
  createServiceImplSpec,
  type HandlerContext,
  type MethodImplSpec,
} from "@connectrpc/connect";
import { checkDeadline } from "./deadline.ts";
import type { AnyMessage, MapError, Method, Stream, UnaryMethod } from "./method.ts";
import { type HasValues, storeContext } from "./request-info.ts";

/** Implements a method. Takes a request or a stream of requests, and returns a response or a stream of responses. */
type Implementation<Request, Response> = (request: Request, context: HandlerContext) => Response;

/**
 * Counts the requests that a call costs beyond its first one.
 *
 * @returns undefined when the call costs one request; otherwise a promise, which rejects with a ConnectError when the
 * cost exceeds a limit of the caller. Nothing is counted then
 */
export type Charge = (request: Message, context: HandlerContext) => Promise<void> | undefined;

/** Checks the headers of a method's calls. */
export interface CheckHeaders {
  /** Runs before a call that changes something. @throws ConnectError */
  readonly ofChange?: (headers: Headers) => void;
  /**
   * Runs before a call that reads, if it has an If-Match header.
   *
   * @returns checks the entity tag of the response, if it has one, and throws a ConnectError when the header does not match
   * @throws ConnectError when the header is malformed
   */
  readonly ofRead?: (ifMatch: string) => (tag: string | null) => void;
}

/** Records the calls of a method. */
export interface Recorder {
  /**
   * Records a call of a change before it is made, and its result afterwards; a call of a read when it has ended.
   *
   * @param request the request; undefined if it is a stream
   * @param work makes the call
   * @throws the error of `work`, or ConnectError unavailable if the call cannot be recorded
   */
  record<T extends Message>(
    request: Message | undefined,
    context: HandlerContext,
    work: () => Promise<T>,
  ): Promise<T>;
  /** Records a call that a guard has refused. @throws ConnectError unavailable if it cannot be recorded */
  refuse(request: Message, context: HandlerContext, error: unknown): Promise<void>;
}

/**
 * Makes the checks that run before every method. Each function is called once for each method, at startup. One that is
 * absent checks nothing.
 */
export interface Guards {
  /** @returns a function that throws a ConnectError when the caller may not call the method */
  authorizer?(method: DescMethod): (context: HasValues) => void;
  /** @returns a function that throws a ConnectError when the request breaks a rule of the proto file */
  validator?(message: DescMessage): (request: AnyMessage) => void;
  /** @returns a function that maps an error of a call to the error to send; undefined to leave errors unchanged */
  errorMapper?(method: DescMethod): MapError | undefined;
  /** @returns undefined when the method takes all headers */
  headerCheck?(method: DescMethod): CheckHeaders | undefined;
  /** @returns undefined when every call of the method counts as one request */
  charger?(method: DescMethod): Charge | undefined;
  /** @returns undefined when the calls of the method are not recorded */
  recorder?(method: DescMethod): Recorder | undefined;
}

/** Services as they are registered with Connect, and the guards before their methods. */
export interface GuardedRoutes {
  readonly routes: (router: ConnectRouter) => void;
  readonly guards?: Guards;
}

/**
 * Returns the methods of the services that are registered, with the guards before each of them. The guards hold for every
 * protocol, because all protocols call these methods.
 */
export function bindRoutes({ routes, guards = {} }: GuardedRoutes): Method[] {
  const methods: Method[] = [];
  const add = (spec: MethodImplSpec) => void methods.push(bindMethod(spec, guards));
  const router: ConnectRouter = {
    handlers: [],
    service(service, implementation) {
      Object.values(createServiceImplSpec(service, implementation).methods).forEach(add);
      return router;
    },
    rpc(method, implementation) {
      add(createMethodImplSpec(method, implementation));
      return router;
    },
  };
  routes(router);
  return methods;
}

type AnyInit = MessageInitShape<DescMessage>;

function allow(): void {}

function bindMethod({ kind, method: desc, impl }: MethodImplSpec, guards: Guards): Method {
  const authorize = guards.authorizer?.(desc) ?? allow;
  const validate = guards.validator?.(desc.input) ?? allow;
  const charge = guards.charger?.(desc);
  const recorder = guards.recorder?.(desc);
  const { ofChange, ofRead } = guards.headerCheck?.(desc) ?? {};
  const mapError = guards.errorMapper?.(desc);
  if (recorder && (kind === "server_streaming" || kind === "bidi_streaming")) {
    throw new Error(`${desc}: calls with a stream of responses cannot be recorded`);
  }
  const complete = (response: AnyInit) => create(desc.output, response);

  /** Calls a method that returns one response. A chain of promises costs less than async functions that call each other. */
  function respond<R>(request: R, context: HandlerContext): Promise<AnyMessage> {
    try {
      checkDeadline(storeContext(context).deadline);
      const ifMatch = ofRead ? context.requestHeader.get("if-match") : null;
      const checkTag = ifMatch === null ? undefined : ofRead?.(ifMatch);
      const invoke = impl as Implementation<R, Promise<AnyInit> | AnyInit>;
      const response = Promise.resolve(invoke(request, context));
      if (!checkTag) return response.then(complete);
      return response.then((read) => {
        checkTag(context.responseHeader.get("etag"));
        return complete(read);
      });
    } catch (error) {
      return Promise.reject(error);
    }
  }

  async function* validated(requests: Stream<AnyMessage>): AsyncGenerator<AnyMessage> {
    for await (const request of requests) {
      validate(request);
      yield request;
    }
  }

  async function recorded(
    { refuse, record }: Recorder,
    request: AnyMessage,
    context: HandlerContext,
  ): Promise<AnyMessage> {
    try {
      ofChange?.(context.requestHeader);
      validate(request);
      await charge?.(request, context);
    } catch (error) {
      await refuse(request, context, error);
      throw error;
    }
    return record(request, context, () => respond(request, context));
  }

  function invokeUnary(request: AnyMessage, context: HandlerContext): Promise<AnyMessage> {
    try {
      authorize(context);
      if (recorder) return recorded(recorder, request, context);
      ofChange?.(context.requestHeader);
      validate(request);
      const charged = charge?.(request, context);
      return charged ? charged.then(() => respond(request, context)) : respond(request, context);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** Calls a method with a stream of requests and one response. */
  async function collect(requests: Stream<AnyMessage>, context: HandlerContext) {
    try {
      ofChange?.(context.requestHeader);
      const work = () => respond(validated(requests), context);
      return await (recorder ? recorder.record(undefined, context, work) : work());
    } catch (error) {
      throw mapError ? mapError(error, storeContext(context)) : error;
    }
  }

  async function* invokeStreaming(
    request: AnyMessage | Stream<AnyMessage>,
    context: HandlerContext,
  ): AsyncGenerator<AnyMessage> {
    authorize(context);
    if (kind === "client_streaming") {
      yield await collect(request as Stream<AnyMessage>, context);
      return;
    }
    const isStream = Symbol.asyncIterator in request;
    if (!isStream) validate(request);
    const ifMatch = context.requestHeader.get("if-match");
    if (ifMatch !== null) ofRead?.(ifMatch)(null);
    const invoke = impl as Implementation<AnyMessage | Stream<AnyMessage>, Stream<AnyInit>>;
    const responses = invoke(isStream ? validated(request) : request, context);
    for await (const response of responses) yield complete(response);
  }

  const common = { authorize, validate, mapError };
  if (kind !== "unary") return { ...common, kind, desc, invoke: invokeStreaming };
  const invoke: UnaryMethod["invoke"] = mapError
    ? (request, context) =>
        invokeUnary(request, context).catch((error: unknown) => {
          throw mapError(error, storeContext(context));
        })
    : invokeUnary;
  return { ...common, kind, desc, invoke };
}
