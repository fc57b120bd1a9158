import { type Holder, type Owner, SharedPool } from "../../call/shared-pool.ts";
import { type Counted, countBy } from "../../http/counted.ts";
import { maxUndecided } from "./admission-queue.ts";
import { type Backlog, createBacklog, smallBacklog } from "./backlog.ts";

/** Longest expected wait at which requests without a well-formed key are admitted, in milliseconds. */
const keylessWaitMs = 50;
/** Longest expected wait at which any request is admitted, in milliseconds. Calls to a slow store end earlier. */
const maxWaitMs = 400;

/** The properties of a new request that decide whether to refuse it. */
export interface Arrival {
  /** Whether it carries a well-formed API key. */
  readonly hasKey: boolean;
  /** How long the client waits, in milliseconds; undefined for no limit. */
  readonly timeoutMs: number | undefined;
}

/**
 * Why a request is refused: too many requests are open; its client or account has its share of them; it would wait for
 * too long; or it waited too long for admission.
 */
export type OverloadCause = "in_flight" | "share" | "backlog" | "queue";

/** Refuses requests when there are more than the process can serve in time. */
export type Overload = ReturnType<typeof createOverload>;

/** Creates the overload control of a process. */
export function createOverload(backlog: Backlog = createBacklog()) {
  return {
    backlog,
    /**
     * Returns whether to refuse a request before any work is done for it. As the expected wait grows, it first refuses
     * requests that would time out and requests without a well-formed key, then all requests.
     *
     * @param arrival is read only when there is a backlog
     * @param holder the places of the request's client; undefined when they are not counted
     */
    refuses(arrival: Arrival, holder: Holder | undefined): boolean {
      if (backlog.count < smallBacklog) return false;
      const waitMs = backlog.waitMs * Math.min(1, requestsBefore(holder) / backlog.count);
      if (waitMs <= keylessWaitMs) return false;
      if (waitMs > maxWaitMs) return true;
      const { hasKey, timeoutMs } = arrival;
      // If the store is the bottleneck, refusing requests without a key does not help.
      return (!hasKey && backlog.isBusy) || (timeoutMs !== undefined && timeoutMs < waitMs);
    },
  };
}

/** Returns the most requests that are admitted before the latest one of a client. */
function requestsBefore(holder: Holder | undefined): number {
  return maxUndecided + (holder ? turnsBefore(holder, holder.count) : Number.POSITIVE_INFINITY);
}

/**
 * Returns how many waiting requests are served before the last ones of a client. Clients take turns, so a client with
 * few requests does not wait for all requests of others.
 *
 * @param holder the places of the client
 * @param requests the number of its requests
 */
export function turnsBefore({ pool, isExempt }: Holder, requests: number): number {
  return isExempt ? Number.POSITIVE_INFINITY : requests * pool.owners;
}

/** Kinds of requests. Each has its own limit. */
export type RequestKind = "unary" | "stream" | "public";

/** The limits on open requests of the process. */
export interface InFlightLimits {
  /** Most open unary calls. Public requests are counted separately, with the same limit. */
  readonly maxRequests: number;
  /** Most open calls that stream in either direction. */
  readonly maxStreams: number;
}

/** Counts the open requests of the process, from before admission until the response is passed to node. */
export type InFlight = ReturnType<typeof createInFlight>;

/** Creates the counts of a process. */
export function createInFlight({ maxRequests, maxStreams }: InFlightLimits) {
  const pools: Readonly<Record<RequestKind, SharedPool>> = {
    unary: new SharedPool({ name: "requests", size: maxRequests }),
    stream: new SharedPool({ name: "streams", size: maxStreams }),
    public: new SharedPool({ name: "public requests", size: maxRequests }),
  };
  return {
    /**
     * Counts a request until its response ends or is closed. A request that is counted already is counted for the new
     * owner instead: first for the client's address, after admission for the account.
     *
     * @param owner undefined when the owner has no share
     * @returns false when there are too many requests of this kind, or of this owner; the request is not counted then,
     * and must be refused
     */
    enter: (response: Counted, kind: RequestKind, owner: Owner | undefined): boolean =>
      countBy(response, pools[kind].holderOf(owner)),
    /** Returns the places of an owner. */
    holderOf: (kind: RequestKind, owner: Owner | undefined) => pools[kind].holderOf(owner),
    /** Returns the number of open requests of a kind. */
    count: (kind: RequestKind) => pools[kind].held,
    /** Returns whether no owner can get a place for a request of a kind. */
    isFull: (kind: RequestKind) => pools[kind].held >= pools[kind].size,
  };
}
