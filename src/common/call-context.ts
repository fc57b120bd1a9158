import { createContextKey } from "@connectrpc/connect";
import { type Deadline, type HasValues, requestOf } from "connect-gateway/call";
import type { Span } from "./span.ts";

/** The decision of admission on a request. */
export type Verdict =
  | "admitted"
  | "limited"
  | "banned"
  | "disabled"
  | "unknown"
  | "revoked"
  | "expired"
  | "address_not_allowed"
  | "missing"
  | "malformed"
  | "address_limited";

/** What is recorded of a request while it is served. All records have the same shape, so that V8 reads and writes them fast. */
export interface CallRecord {
  /** How long the request has waited for replies of the store, in milliseconds. Batched requests wait together. */
  storeMs: number;
  /**
   * How many commands that change what the request asks for were sent to the store, without those that it surely has not
   * run. 0 means that the request has changed nothing yet.
   */
  changesSent: number;
  /** The span of the request; undefined when it is not sampled. */
  span?: Span | undefined;
  /** Whether the response is the stored one of an earlier request with the same idempotency key. */
  isReplay?: boolean;
  /** The reason of the change that the request makes unless it fails, such as `sale`. */
  changed?: string | undefined;
  /** The account and key of an admitted request, or of a known key that was refused. */
  caller?: { readonly accountId: string; readonly keyId: string } | undefined;
  /** The name of the caller's plan. */
  plan?: string | undefined;
  /** Undefined for requests that need no key, and for those that were refused before admission. */
  verdict?: Verdict | undefined;
}

/** The key of the record among the values of a context. Absent for calls of which nothing is recorded. */
export const callRecordKey = createContextKey<CallRecord | undefined>(undefined, {
  description: "call record",
});

export function newCallRecord(): CallRecord {
  return {
    storeMs: 0,
    changesSent: 0,
    span: undefined,
    isReplay: false,
    changed: undefined,
    caller: undefined,
    plan: undefined,
    verdict: undefined,
  };
}

/** Returns the record of a request, or a new one if nothing is recorded of it. */
export function callRecordOf({ values }: HasValues): CallRecord {
  return values.get(callRecordKey) ?? newCallRecord();
}

/** What the stores need of a call. Services pass it explicitly: an AsyncLocalStorage would make every `await` slower. */
export interface CallContext {
  /** A store makes no change after this time. */
  readonly deadline?: Deadline;
  /** Undefined when nothing is recorded, for example in the command line. */
  readonly record?: CallRecord | undefined;
}

/** Returns what the stores need of a call. */
export function storeContext(context: HasValues): CallContext {
  return { deadline: requestOf(context).deadline, record: context.values.get(callRecordKey) };
}
