import {
  create,
  type DescMessage,
  type DescMethod,
  type DescMethodBiDiStreaming,
  type DescMethodClientStreaming,
  type DescMethodServerStreaming,
  type DescMethodUnary,
  type DescService,
  type Message,
  type MessageInitShape,
} from "@bufbuild/protobuf";
import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import { checkDeadline } from "./deadline.ts";
import type { AnyMessage, MapError, Method, Stream } from "./method.ts";
import type { Recorder } from "./recorder.ts";
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

/** Makes the checks that run before every method. Each function is called once for each method, at startup. */
export interface Guards {
  /** @returns a function that throws a ConnectError when the caller may not call the method */
  authorizer(method: DescMethod): (context: HasValues) => void;
  /** @returns a function that throws a ConnectError when the request breaks a rule of the proto file */
  validator(message: DescMessage): (request: AnyMessage) => void;
  /** @returns a function that maps an error of a call to the error to send; undefined to leave errors unchanged */
  errorMapper?(method: DescMethod): MapError | undefined;
  /** @returns undefined when the method takes all headers. Absent when all methods do */
  headerCheck?(method: DescMethod): CheckHeaders | undefined;
  /** @returns undefined when every call of the method counts as one request. Absent when nothing is counted. */
  charger?(method: DescMethod): Charge | undefined;
  /** @returns undefined when the calls of the method are not recorded. Absent when none are */
  recorder?(method: DescMethod): Recorder | undefined;
}

/**
 * Makes the methods of a service from the functions that implement it, with the guards before each of them. The guards
 * hold for every protocol, because all protocols call these methods.
 */
export function bindService<S extends DescService>(
  service: S,
  functions: ServiceImpl<S>,
  guards: Guards,
): Method[] {
  const byName = functions as Readonly<Record<string, unknown>>;
  return service.methods.map((desc) => bindMethod(desc, byName[desc.localName], guards));
}

type AnyInit = MessageInitShape<DescMessage>;

function bindMethod(desc: DescMethod, implementation: unknown, guards: Guards): Method {
  const { methodKind } = desc;
  const authorize = guards.authorizer(desc);
  const validate = guards.validator(desc.input);
  const charge = guards.charger?.(desc);
  const recorder = guards.recorder?.(desc);
  const { ofChange, ofRead } = guards.headerCheck?.(desc) ?? {};
  const mapError = guards.errorMapper?.(desc);
  if (recorder && (methodKind === "server_streaming" || methodKind === "bidi_streaming")) {
    throw new Error(`${desc}: calls with a stream of responses cannot be recorded`);
  }
  const complete = (response: AnyInit) => create(desc.output, response);

  /** Calls a method that returns one response. A chain of promises costs less than async functions that call each other. */
  function respond<R>(request: R, context: HandlerContext): Promise<AnyMessage> {
    try {
      checkDeadline(storeContext(context).deadline);
      const ifMatch = ofRead ? context.requestHeader.get("if-match") : null;
      const checkTag = ifMatch === null ? undefined : ofRead?.(ifMatch);
      const invoke = implementation as Implementation<R, Promise<AnyInit> | AnyInit>;
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

  /** Calls a method that returns a stream of responses. */
  async function* stream<R>(request: R, context: HandlerContext): AsyncGenerator<AnyMessage> {
    const ifMatch = context.requestHeader.get("if-match");
    if (ifMatch !== null) ofRead?.(ifMatch)(null);
    const invoke = implementation as Implementation<R, Stream<AnyInit>>;
    for await (const response of invoke(request, context)) yield complete(response);
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

  switch (methodKind) {
    case "unary":
      return {
        kind: methodKind,
        desc: desc as DescMethodUnary,
        authorize,
        validate,
        mapError,
        invoke: mapError
          ? (request, context) =>
              invokeUnary(request, context).catch((error: unknown) => {
                throw mapError(error, storeContext(context));
              })
          : invokeUnary,
      };
    case "server_streaming":
      return {
        kind: methodKind,
        desc: desc as DescMethodServerStreaming,
        authorize,
        validate,
        async *invoke(request, context) {
          authorize(context);
          validate(request);
          yield* stream(request, context);
        },
      };
    case "client_streaming":
      return {
        kind: methodKind,
        desc: desc as DescMethodClientStreaming,
        authorize,
        mapError,
        async invoke(requests, context) {
          try {
            authorize(context);
            ofChange?.(context.requestHeader);
            const work = () => respond(validated(requests), context);
            return await (recorder ? recorder.record(undefined, context, work) : work());
          } catch (error) {
            throw mapError ? mapError(error, storeContext(context)) : error;
          }
        },
      };
    case "bidi_streaming":
      return {
        kind: methodKind,
        desc: desc as DescMethodBiDiStreaming,
        authorize,
        async *invoke(requests, context) {
          authorize(context);
          yield* stream(validated(requests), context);
        },
      };
  }
}
