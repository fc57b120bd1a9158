import { type Counted, type Counter, countBy } from "../http/counted.ts";

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
   * Counts a request until its response ends or is closed.
   *
   * @returns false when there are too many requests of this kind; the request is not counted then, and must be refused
   */
  enter(response: Counted, kind: RequestKind): boolean;
  /** Returns the number of open requests of a kind. */
  count(kind: RequestKind): number;
}

/** Creates the counts of a process. */
export function createInFlight({ maxRequests, maxStreams }: InFlightLimits): InFlight {
  const counters: Readonly<Record<RequestKind, Counter>> = {
    unary: { count: 0 },
    stream: { count: 0 },
    public: { count: 0 },
  };
  const most = { unary: maxRequests, stream: maxStreams, public: maxRequests };
  return {
    enter(response, kind) {
      const counter = counters[kind];
      if (counter.count >= most[kind]) return false;
      countBy(response, counter);
      return true;
    },
    count: (kind) => counters[kind].count,
  };
}
