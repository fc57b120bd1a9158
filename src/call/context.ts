import type { Deadline } from "./deadline.ts";
import type { Span } from "./span.ts";

/** What is recorded of a request while it is served. */
export interface CallRecord {
  /** How long the request has waited for replies of the store, in milliseconds. Batched requests wait together. */
  storeMs: number;
  /**
   * How many commands that change what the request asks for were sent to the store, without those that it surely has not
   * run. 0 means that the request has changed nothing yet.
   */
  changesSent: number;
  /** The span of the request; undefined when it is not sampled. */
  readonly span?: Span | undefined;
  /** Whether the response is the stored one of an earlier request with the same idempotency key. */
  isReplay?: boolean;
  /** The reason of the change that the request makes unless it fails, such as `sale`. */
  changed?: string | undefined;
}

/**
 * The context of a call, which the stores need in addition to their arguments. Services pass it explicitly: an
 * AsyncLocalStorage would make every `await` slower.
 */
export interface CallContext {
  /** A store makes no change after this time. */
  readonly deadline?: Deadline;
  /** Undefined when nothing is recorded, for example in the command line. */
  readonly record?: CallRecord | undefined;
}
