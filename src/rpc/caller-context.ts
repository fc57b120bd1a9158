import {
  type ContextKey,
  type ContextValues,
  createContextKey,
  createContextValues,
} from "@connectrpc/connect";

/** Carries whatever admission established from the raw request to the service functions. */
export interface CallerContext<Caller> {
  /** The context values of a request by this caller: what Connect asks for. */
  values(caller: Caller): ContextValues;
  /** @throws Error when the request was not admitted: a bug, never a way in */
  get(values: ContextValues): Caller;
}

/** Makes a carrier for callers. */
export function createCallerContext<Caller>(): CallerContext<Caller> {
  const key: ContextKey<Caller | undefined> = createContextKey<Caller | undefined>(undefined);
  return {
    values: (caller) => createContextValues().set(key, caller),
    get(values) {
      const caller = values.get(key);
      if (caller === undefined) {
        throw new Error("a call reached a service without a caller");
      }
      return caller;
    },
  };
}
