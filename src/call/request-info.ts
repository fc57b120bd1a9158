import { createContextKey, type HandlerContext } from "@connectrpc/connect";
import type { CallContext } from "./context.ts";

/** What a service can know of a request in addition to the HandlerContext of Connect. */
export interface RequestInfo extends CallContext {
  /** `X-Request-Id` of the response; empty if it is not known. */
  readonly id: string;
  /**
   * When the request's header section arrived, on the clock of performance.now(), in milliseconds. Data that was read
   * later is fresh enough for the call. Absent when it is not known.
   */
  readonly arrivedAt?: number;
  /**
   * Ends a streaming call at once, even while its function waits for the client to read, and aborts the signal. The
   * client receives the error if it reads everything sent before within a second. Otherwise its stream is reset.
   *
   * @param reason a ConnectError; any other error is a bug
   */
  end(reason: unknown): void;
}

/** The key of the request among the values of a context. Without a request, nothing is known, and `end` does nothing. */
export const requestKey = createContextKey<RequestInfo>(
  { id: "", end() {} },
  { description: "request" },
);

/** A context, or another holder of its values. */
export type HasValues = Pick<HandlerContext, "values">;

/** Returns the request of a call. */
export function requestOf({ values }: HasValues): RequestInfo {
  return values.get(requestKey);
}

/** Returns what the stores need of a call. */
export function storeContext(context: HasValues): CallContext {
  return requestOf(context);
}
