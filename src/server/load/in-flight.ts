import { type Holder, type Owner, SharedPool } from "../../call/shared-pool.ts";
import { type Counted, countBy } from "../../http/counted.ts";

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
export interface InFlight {
  /**
   * Counts a request until its response ends or is closed. A request that is counted already is counted for the new
   * owner instead: first for the client's address, after admission for the account.
   *
   * @param owner undefined when the owner has no share
   * @returns false when there are too many requests of this kind, or of this owner; the request is not counted then, and
   * must be refused
   */
  enter(response: Counted, kind: RequestKind, owner: Owner | undefined): boolean;
  /** Returns the places of an owner. */
  holderOf(kind: RequestKind, owner: Owner | undefined): Holder;
  /** Returns the number of open requests of a kind. */
  count(kind: RequestKind): number;
  /** Returns whether no owner can get a place for a request of a kind. */
  isFull(kind: RequestKind): boolean;
}

/** Creates the counts of a process. */
export function createInFlight({ maxRequests, maxStreams }: InFlightLimits): InFlight {
  const pools: Readonly<Record<RequestKind, SharedPool>> = {
    unary: new SharedPool({ name: "requests", size: maxRequests }),
    stream: new SharedPool({ name: "streams", size: maxStreams }),
    public: new SharedPool({ name: "public requests", size: maxRequests }),
  };
  return {
    enter: (response, kind, owner) => countBy(response, pools[kind].holderOf(owner)),
    holderOf: (kind, owner) => pools[kind].holderOf(owner),
    count: (kind) => pools[kind].held,
    isFull: (kind) => pools[kind].held >= pools[kind].size,
  };
}
