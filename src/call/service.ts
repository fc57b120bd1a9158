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
import type { Call, Method } from "./method.ts";
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

/** Makes the checks that run before every method. Each function is called once for each method, at startup. */
export interface Guards<Caller> {
  /** @returns a function that throws a ConnectError when the caller may not call the method */
  authorizer(method: DescMethod): (caller: Caller) => void;
  /** @returns a function that throws a ConnectError when the request breaks a rule of the proto file */
  validator(message: DescMessage): (request: MessageShape<DescMessage>) => void;
  /**
   * @returns a function that maps an error of the method's implementation to the error of the call; undefined to leave
   * errors unchanged. It is not called with errors of the guards
   */
  errorMapper?(method: DescMethod): ((error: unknown) => unknown) | undefined;
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

type AnyMessage = MessageShape<DescMessage>;
type AnyInit = MessageInitShape<DescMessage>;

function bindMethod<Caller>(
  desc: DescMethod,
  implementation: unknown,
  guards: Guards<Caller>,
): Method<Caller> {
  const authorize = guards.authorizer(desc);
  const validate = guards.validator(desc.input);
  const charge = guards.charger?.(desc);
  const recorder = guards.recorder?.(desc);
  const mapError = guards.errorMapper?.(desc);
  if (
    recorder &&
    (desc.methodKind === "server_streaming" || desc.methodKind === "bidi_streaming")
  ) {
    throw new Error(`${desc}: calls with a stream of responses cannot be recorded`);
  }
  const complete = (response: AnyInit) => create(desc.output, response);
  const withMappedError = (response: Promise<AnyInit>) =>
    mapError
      ? response.catch((error: unknown) => {
          throw mapError(error);
        })
      : response;

  async function* validated(requests: AsyncIterable<AnyMessage>) {
    for await (const request of requests) {
      validate(request);
      yield request;
    }
  }

  async function* completed(responses: AsyncIterable<AnyInit>) {
    for await (const response of responses) yield complete(response);
  }

  switch (desc.methodKind) {
    case "unary": {
      const invoke = implementation as Implementation<Caller, AnyMessage, Promise<AnyInit>>;
      const work = async (request: AnyMessage, call: Call<Caller>) => {
        checkDeadline(call.deadline);
        return complete(await withMappedError(invoke(request, call)));
      };
      async function recorded(
        { refuse, record }: Recorder<Caller>,
        request: AnyMessage,
        call: Call<Caller>,
      ): Promise<AnyMessage> {
        try {
          validate(request);
          await charge?.(request, call);
        } catch (error) {
          await refuse(request, call, error);
          throw error;
        }
        return record(request, call, () => work(request, call));
      }
      return {
        kind: "unary",
        desc: desc as DescMethodUnary,
        authorize,
        validate,
        async invoke(request, call) {
          authorize(call.caller);
          if (recorder) return recorded(recorder, request, call);
          validate(request);
          const charged = charge?.(request, call);
          if (charged) await charged;
          return work(request, call);
        },
      };
    }
    case "server_streaming": {
      const invoke = implementation as Implementation<Caller, AnyMessage, AsyncIterable<AnyInit>>;
      return {
        kind: "server_streaming",
        desc: desc as DescMethodServerStreaming,
        authorize,
        validate,
        async *invoke(request, call) {
          authorize(call.caller);
          validate(request);
          yield* completed(invoke(request, call));
        },
      };
    }
    case "client_streaming": {
      const invoke = implementation as Implementation<
        Caller,
        AsyncIterable<AnyMessage>,
        Promise<AnyInit>
      >;
      return {
        kind: "client_streaming",
        desc: desc as DescMethodClientStreaming,
        authorize,
        async invoke(requests, call) {
          authorize(call.caller);
          const work = async () => {
            checkDeadline(call.deadline);
            return complete(await withMappedError(invoke(validated(requests), call)));
          };
          return recorder ? recorder.record(undefined, call, work) : work();
        },
      };
    }
    case "bidi_streaming": {
      const invoke = implementation as Implementation<
        Caller,
        AsyncIterable<AnyMessage>,
        AsyncIterable<AnyInit>
      >;
      return {
        kind: "bidi_streaming",
        desc: desc as DescMethodBiDiStreaming,
        authorize,
        async *invoke(requests, call) {
          authorize(call.caller);
          yield* completed(invoke(validated(requests), call));
        },
      };
    }
  }
}
