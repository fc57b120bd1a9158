import { type Counted, type Counter, countBy } from "../http/counted.ts";

/** Kinds of requests, each with a bound of its own. */
export type RequestKind = "unary" | "stream" | "public";

/** The most requests under way at once in the process. */
export interface InFlightLimits {
  /** Unary calls; also those of the public methods, which are counted apart. */
  readonly maxRequests: number;
  /** Calls that stream in either direction. */
  readonly maxStreams: number;
}

/** The requests under way in the process: from their admission until the response is handed to node. */
export interface InFlight {
  /**
   * Counts a request until its response ends or is closed.
   *
   * @returns false when there are too many of its kind: the request is not counted, and the caller must refuse it
   */
  enter(response: Counted, kind: RequestKind): boolean;
  /** How many are under way. */
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
