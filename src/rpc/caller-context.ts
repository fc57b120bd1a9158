import {
  type ContextKey,
  type ContextValues,
  createContextKey,
  createContextValues,
} from "@connectrpc/connect";

/** Carries the caller of a request through Connect's handlers to the service functions. */
export interface CallerContext<Caller> {
  /** Makes Connect's context values for a request of this caller. */
  values(caller: Caller): ContextValues;
  /** @throws Error when the values have no caller, which is a bug */
  get(values: ContextValues): Caller;
}

/** Makes a context key for callers, with its accessors. */
export function createCallerContext<Caller>(): CallerContext<Caller> {
  const key: ContextKey<Caller | undefined> = createContextKey<Caller | undefined>(undefined);
  return {
    values: (caller) => createContextValues().set(key, caller),
    get(values) {
      const caller = values.get(key);
      if (caller === undefined) {
        throw new Error("a call reached a service function without a caller");
      }
      return caller;
    },
  };
}
