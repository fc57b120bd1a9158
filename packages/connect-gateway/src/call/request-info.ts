import { createContextKey, type HandlerContext } from "@connectrpc/connect";
import type { Deadline } from "./deadline.ts";
import type { Owner } from "./shared-pool.ts";

/** What a service can know of a request in addition to the HandlerContext of Connect. */
export interface RequestInfo {
  /** `X-Request-Id` of the response; empty if it is not known. */
  readonly id: string;
  /**
   * When the request's header section arrived, on the clock of performance.now(), in milliseconds. Data that was read
   * later is fresh enough for the call. Absent when it is not known.
   */
  readonly arrivedAt?: number;
  /** The time at which the client stops waiting. */
  readonly deadline?: Deadline;
  /** The address by which limits count the client: an IPv4 address or an IPv6 /64 network; "unknown" if it is not known. */
  readonly address: string;
  /** The whole address of the client; undefined if it is not known. */
  readonly ip: string | undefined;
  /** Identifies the client's connection; undefined when a proxy may share it between clients. */
  readonly connection: object | undefined;
  /** The length of the body by the header section, in bytes; undefined when it is not known. */
  readonly declaredLength: number | undefined;
  /**
   * Ends a streaming call at once, even while its function waits for the client to read, and aborts the signal. The
   * client receives the error after everything sent before. A client that does not read is disconnected after the send
   * timeout.
   *
   * @param reason a ConnectError. Anything else, also undefined, is a bug: it ends the call with the code internal
   */
  end(reason: unknown): void;
}

/** A request of which nothing is known, and whose `end` does nothing. */
const nothing: RequestInfo = {
  id: "",
  address: "unknown",
  ip: undefined,
  connection: undefined,
  declaredLength: undefined,
  end() {},
};

/** The key of the request among the values of a context. */
export const requestKey = createContextKey(nothing, { description: "request" });

/** The key of whose turn the work of a request is, such as its caller's account: the gate sets it. */
export const ownerKey = createContextKey<Owner>("unknown", { description: "owner" });

/** A context, or another holder of its values. */
export type HasValues = Pick<HandlerContext, "values">;

/** Returns the request of a call. */
export function requestOf({ values }: HasValues): RequestInfo {
  return values.get(requestKey);
}
