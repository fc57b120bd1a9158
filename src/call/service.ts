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
import { withinDeadline } from "./deadline.ts";
import type { Call, Method } from "./method.ts";

/** How a method is implemented: the request, or the stream of them, to the answer, or the stream of them. */
type Implementation<Caller, Request, Answer> = (request: Request, call: Call<Caller>) => Answer;

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

/** What to do before a method is called, by its local name (see `prepare` of {@link Method}). */
export type Preparations<S extends DescService> = {
  readonly [K in keyof S["method"]]?: () => void;
};

/**
 * Counts what a call costs beyond the one request that it is.
 *
 * @returns undefined when it costs no more
 * @throws ConnectError (the promise rejects) when that exceeds a limit of the caller; then nothing is counted
 */
export type Charge<Caller> = (request: Message, call: Call<Caller>) => Promise<void> | undefined;

/** Checks that stand before every method. Asked once a method, at start-up. */
export interface Guards<Caller> {
  /** @returns what throws a ConnectError when the caller may not call the method */
  authorizer(method: DescMethod): (caller: Caller) => void;
  /** @returns what throws a ConnectError when the request breaks a rule of the contract */
  validator(message: DescMessage): (request: MessageShape<DescMessage>) => void;
  /**
   * @returns a function that maps an error thrown by the method's function to the error of the call; undefined to
   * leave errors as they are. It is not called with errors of the guards
   */
  explainer?(method: DescMethod): ((error: unknown) => unknown) | undefined;
  /** @returns undefined when every call of the method counts as one request; absent where nothing is counted */
  charger?(method: DescMethod): Charge<Caller> | undefined;
}

/**
 * Makes the methods of a service from the functions that implement it, with the guards before each:
 * they hold on every protocol because every protocol calls the methods made here.
 */
export function bindService<S extends DescService, Caller>(
  service: S,
  functions: ServiceFunctions<S, Caller>,
  guards: Guards<Caller>,
  preparations: Preparations<S> = {},
): Method<Caller>[] {
  const byName = functions as Readonly<Record<string, unknown>>;
  const prepareByName = preparations as Readonly<Record<string, (() => void) | undefined>>;
  return service.methods.map((desc) => ({
    ...bindMethod(desc, byName[desc.localName], guards),
    prepare: prepareByName[desc.localName],
  }));
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
  const explain = guards.explainer?.(desc);
  const complete = (answer: AnyInit) => create(desc.output, answer);
  const explained = (answer: Promise<AnyInit>) =>
    explain
      ? answer.catch((error: unknown) => {
          throw explain(error);
        })
      : answer;

  async function* validated(requests: AsyncIterable<AnyMessage>) {
    for await (const request of requests) {
      validate(request);
      yield request;
    }
  }

  async function* completed(answers: AsyncIterable<AnyInit>) {
    for await (const answer of answers) yield complete(answer);
  }

  switch (desc.methodKind) {
    case "unary": {
      const invoke = implementation as Implementation<Caller, AnyMessage, Promise<AnyInit>>;
      return {
        kind: "unary",
        desc: desc as DescMethodUnary,
        authorize,
        async invoke(request, call) {
          authorize(call.caller);
          validate(request);
          const charged = charge?.(request, call);
          if (charged) await charged;
          return complete(
            await explained(withinDeadline(call.deadline, () => invoke(request, call))),
          );
        },
      };
    }
    case "server_streaming": {
      const invoke = implementation as Implementation<Caller, AnyMessage, AsyncIterable<AnyInit>>;
      return {
        kind: "server_streaming",
        desc: desc as DescMethodServerStreaming,
        authorize,
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
          const work = () => invoke(validated(requests), call);
          return complete(await explained(withinDeadline(call.deadline, work)));
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
