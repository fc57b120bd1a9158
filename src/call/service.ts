import {
  create,
  type DescMessage,
  type DescMethod,
  type DescMethodServerStreaming,
  type DescMethodUnary,
  type DescService,
  type MessageInitShape,
  type MessageShape,
} from "@bufbuild/protobuf";
import type { Call, Method } from "./method.ts";

type UnaryFunction<Caller, I extends DescMessage, O extends DescMessage> = (
  request: MessageShape<I>,
  call: Call<Caller>,
) => Promise<MessageInitShape<O>>;

type ServerStreamingFunction<Caller, I extends DescMessage, O extends DescMessage> = (
  request: MessageShape<I>,
  call: Call<Caller>,
) => AsyncIterable<MessageInitShape<O>>;

/** The functions that implement a service, by the local names of its methods. */
export type ServiceFunctions<S extends DescService, Caller> = {
  readonly [K in keyof S["method"]]: S["method"][K] extends DescMethodUnary<infer I, infer O>
    ? UnaryFunction<Caller, I, O>
    : S["method"][K] extends DescMethodServerStreaming<infer I, infer O>
      ? ServerStreamingFunction<Caller, I, O>
      : never;
};

/** Checks that stand before every method. Asked once a method, at start-up. */
export interface Guards<Caller> {
  /** @returns what throws a ConnectError when the caller may not call the method */
  authorizer(method: DescMethod): (caller: Caller) => void;
  /** @returns what throws a ConnectError when the request breaks a rule of the contract */
  validator(message: DescMessage): (request: MessageShape<DescMessage>) => void;
}

/**
 * Makes the methods of a service from the functions that implement it, with the guards before each:
 * they hold on every protocol because every protocol calls the methods made here.
 */
export function bindService<S extends DescService, Caller>(
  service: S,
  functions: ServiceFunctions<S, Caller>,
  guards: Guards<Caller>,
): Method<Caller>[] {
  const byName = functions as Readonly<Record<string, unknown>>;
  return service.methods.map((desc): Method<Caller> => {
    const authorize = guards.authorizer(desc);
    const validate = guards.validator(desc.input);
    switch (desc.methodKind) {
      case "unary": {
        const call = byName[desc.localName] as UnaryFunction<Caller, DescMessage, DescMessage>;
        return {
          kind: "unary",
          desc: desc as DescMethodUnary,
          authorize,
          async invoke(request, context) {
            authorize(context.caller);
            validate(request);
            return create(desc.output, await call(request, context));
          },
        };
      }
      case "server_streaming": {
        const call = byName[desc.localName] as ServerStreamingFunction<
          Caller,
          DescMessage,
          DescMessage
        >;
        return {
          kind: "server_streaming",
          desc: desc as DescMethodServerStreaming,
          authorize,
          async *invoke(request, context) {
            authorize(context.caller);
            validate(request);
            for await (const message of call(request, context)) {
              yield create(desc.output, message);
            }
          },
        };
      }
      default:
        throw new Error(`${desc}: methods with a stream of requests are not supported`);
    }
  });
}
