import {
  type ContextKey,
  type ContextValues,
  createContextKey,
  createContextValues,
} from "@connectrpc/connect";

/** Carries whatever admission established from the raw request to the service functions. */
export interface CallerContext<Caller> {
  /** Notes the caller of a request, before it is handed to Connect. */
  set(request: object, caller: Caller): void;
  /** The context values of a request: what Connect asks for. */
  values(request: object): ContextValues;
  /** @throws Error when the request was not admitted: a bug, never a way in */
  get(values: ContextValues): Caller;
}

/** Makes a carrier for callers. */
export function createCallerContext<Caller>(): CallerContext<Caller> {
  const callers = new WeakMap<object, Caller>();
  const key: ContextKey<Caller | undefined> = createContextKey<Caller | undefined>(undefined);
  return {
    set(request, caller) {
      callers.set(request, caller);
    },
    values(request) {
      return createContextValues().set(key, callers.get(request));
    },
    get(values) {
      const caller = values.get(key);
      if (caller === undefined) {
        throw new Error("a call reached a service without a caller");
      }
      return caller;
    },
  };
}
