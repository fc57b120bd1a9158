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
  type MessageShape,
} from "@bufbuild/protobuf";
import { checkDeadline } from "./deadline.ts";
import type { ReadableHeaders } from "./headers.ts";
import type { AnyMessage, Call, MapError, Method, Stream } from "./method.ts";
import type { Recorder } from "./recorder.ts";

/** Implements a method. Takes a request or a stream of requests, and returns a response or a stream of responses. */
type Implementation<Caller, Request, Response> = (request: Request, call: Call<Caller>) => Response;

/** The function that implements a method, by its kind. */
type FunctionOf<M, Caller> =
  M extends DescMethodUnary<infer I, infer O>
    ? Implementation<Caller, MessageShape<I>, Promise<MessageInitShape<O>>>
    : M extends DescMethodServerStreaming<infer I, infer O>
      ? Implementation<Caller, MessageShape<I>, AsyncIterable<MessageInitShape<O>>>
      : M extends DescMethodClientStreaming<infer I, infer O>
        ? Implementation<Caller, AsyncIterable<MessageShape<I>>, Promise<MessageInitShape<O>>>
        : M extends DescMethodBiDiStreaming<infer I, infer O>
          ? Implementation<
              Caller,
              AsyncIterable<MessageShape<I>>,
              AsyncIterable<MessageInitShape<O>>
            >
          : never;

/** The functions that implement a service, by the local names of its methods. */
export type ServiceFunctions<S extends DescService, Caller> = {
  readonly [K in keyof S["method"]]: FunctionOf<S["method"][K], Caller>;
};

/**
 * Counts the requests that a call costs beyond its first one.
 *
 * @returns undefined when the call costs one request; otherwise a promise, which rejects with a ConnectError when the
 * cost exceeds a limit of the caller. Nothing is counted then
 */
export type Charge<Caller> = (request: Message, call: Call<Caller>) => Promise<void> | undefined;

/** Checks the headers of a method's calls. */
export interface CheckHeaders {
  /** Runs before a call that changes something. @throws ConnectError */
  readonly ofChange?: (headers: ReadableHeaders) => void;
  /**
   * Runs before a call that reads, if it has an If-Match header.
   *
   * @returns checks the entity tag of the response, if it has one, and throws a ConnectError when the header does not match
   * @throws ConnectError when the header is malformed
   */
  readonly ofRead?: (ifMatch: string) => (tag: string | null) => void;
}

/** Makes the checks that run before every method. Each function is called once for each method, at startup. */
export interface Guards<Caller> {
  /** @returns a function that throws a ConnectError when the caller may not call the method */
  authorizer(method: DescMethod): (caller: Caller) => void;
  /** @returns a function that throws a ConnectError when the request breaks a rule of the proto file */
  validator(message: DescMessage): (request: AnyMessage) => void;
  /** @returns a function that maps an error of a call to the error to send; undefined to leave errors unchanged */
  errorMapper?(method: DescMethod): MapError | undefined;
  /** @returns undefined when the method takes all headers. Absent when all methods do */
  headerCheck?(method: DescMethod): CheckHeaders | undefined;
  /** @returns undefined when every call of the method counts as one request. Absent when nothing is counted. */
  charger?(method: DescMethod): Charge<Caller> | undefined;
  /** @returns undefined when the calls of the method are not recorded. Absent when none are */
  recorder?(method: DescMethod): Recorder<Caller> | undefined;
}

/**
 * Makes the methods of a service from the functions that implement it, with the guards before each of them. The guards
 * hold for every protocol, because all protocols call these methods.
 */
export function bindService<S extends DescService, Caller>(
  service: S,
  functions: ServiceFunctions<S, Caller>,
  guards: Guards<Caller>,
): Method<Caller>[] {
  const byName = functions as Readonly<Record<string, unknown>>;
  return service.methods.map((desc) => bindMethod(desc, byName[desc.localName], guards));
}

type AnyInit = MessageInitShape<DescMessage>;

function bindMethod<Caller>(
  desc: DescMethod,
  implementation: unknown,
  guards: Guards<Caller>,
): Method<Caller> {
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
  function respond<R>(request: R, call: Call<Caller>): Promise<AnyMessage> {
    try {
      checkDeadline(call.deadline);
      const ifMatch = ofRead ? call.requestHeaders.get("if-match") : null;
      const checkTag = ifMatch === null ? undefined : ofRead?.(ifMatch);
      const invoke = implementation as Implementation<Caller, R, Promise<AnyInit>>;
      const response = invoke(request, call);
      if (!checkTag) return response.then(complete);
      return response.then((read) => {
        checkTag(call.responseHeaders.get("etag"));
        return complete(read);
      });
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** Calls a method that returns a stream of responses. */
  async function* stream<R>(request: R, call: Call<Caller>): AsyncGenerator<AnyMessage> {
    const ifMatch = call.requestHeaders.get("if-match");
    if (ifMatch !== null) ofRead?.(ifMatch)(null);
    const invoke = implementation as Implementation<Caller, R, Stream<AnyInit>>;
    for await (const response of invoke(request, call)) yield complete(response);
  }

  async function* validated(requests: Stream<AnyMessage>): AsyncGenerator<AnyMessage> {
    for await (const request of requests) {
      validate(request);
      yield request;
    }
  }

  async function recorded(
    { refuse, record }: Recorder<Caller>,
    request: AnyMessage,
    call: Call<Caller>,
  ): Promise<AnyMessage> {
    try {
      ofChange?.(call.requestHeaders);
      validate(request);
      await charge?.(request, call);
    } catch (error) {
      await refuse(request, call, error);
      throw error;
    }
    return record(request, call, () => respond(request, call));
  }

  function invokeUnary(request: AnyMessage, call: Call<Caller>): Promise<AnyMessage> {
    try {
      authorize(call.caller);
      if (recorder) return recorded(recorder, request, call);
      ofChange?.(call.requestHeaders);
      validate(request);
      const charged = charge?.(request, call);
      return charged ? charged.then(() => respond(request, call)) : respond(request, call);
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
          ? (request, call) =>
              invokeUnary(request, call).catch((error: unknown) => {
                throw mapError(error, call);
              })
          : invokeUnary,
      };
    case "server_streaming":
      return {
        kind: methodKind,
        desc: desc as DescMethodServerStreaming,
        authorize,
        validate,
        async *invoke(request, call) {
          authorize(call.caller);
          validate(request);
          yield* stream(request, call);
        },
      };
    case "client_streaming":
      return {
        kind: methodKind,
        desc: desc as DescMethodClientStreaming,
        authorize,
        mapError,
        async invoke(requests, call) {
          try {
            authorize(call.caller);
            ofChange?.(call.requestHeaders);
            const work = () => respond(validated(requests), call);
            return await (recorder ? recorder.record(undefined, call, work) : work());
          } catch (error) {
            throw mapError ? mapError(error, call) : error;
          }
        },
      };
    case "bidi_streaming":
      return {
        kind: methodKind,
        desc: desc as DescMethodBiDiStreaming,
        authorize,
        async *invoke(requests, call) {
          authorize(call.caller);
          yield* stream(validated(requests), call);
        },
      };
  }
}
