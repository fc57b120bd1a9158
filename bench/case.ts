import type { Data } from "./data.ts";
import type { Server, ServerSpec, StartContext } from "./machine/server.ts";

/** The measures and their units. */
export const units = {
  /** User and system CPU time of the server process, all threads. */
  cpu: "µs/req",
  /** The same for the Redis process. */
  redisCpu: "µs/req",
  /** Bytes that the server process allocates on V8's heap. */
  allocated: "bytes/req",
  /** System calls of the server process that read or write. */
  systemCalls: "calls/req",
  /** Promises that the server process makes. */
  promises: "1/req",
  /** Callbacks that the server process gives to `process.nextTick` and `setImmediate`. */
  ticks: "1/req",
  throughput: "req/s",
  p50: "ms",
  p99: "ms",
  /** Resident memory of the server process. */
  rss: "MB",
  /** The part of the maximum throughput that is lost under overload: 1 minus the goodput. */
  lost: "of 1",
  /** From the start of the process to its first response. */
  start: "ms",
  /** Memory of one account's windows in Redis. */
  memory: "bytes",
  /** Resident memory in the last quarter of a run, divided by that in the quarter before. */
  growth: "×",
} as const;

/** The name of a measure. */
export type Measure = keyof typeof units;

/** All measures, in the order of reports. */
export const measures = Object.keys(units) as Measure[];

/** The values of one run. */
export type Sample = Readonly<Partial<Record<Measure, number>>>;

/** What a load gets for one run. */
export interface Run extends StartContext {
  readonly server: Server;
  /** How the server was started, for a load that starts its own. */
  readonly spec: ServerSpec;
  /** The process id of Redis. */
  readonly redisPid: number;
  readonly data: Data;
  /** The duration of the run. */
  readonly seconds: number;
  readonly quick: boolean;
}

/**
 * Puts load on a server once and checks its responses.
 *
 * @throws Error that says what was wrong. Such a run has no values
 */
export type Load = (run: Run) => Promise<Sample>;

/** A Redis, and the code that fills it. */
export interface Home {
  readonly redisUrl: string;
  readonly redisPid: number;
  /** Empties Redis, and fills it with so many items. */
  seed(redisUrl: string, items: number): Promise<Data>;
}

/** One server under one load. */
export interface Contestant {
  readonly name: string;
  readonly server: ServerSpec;
  readonly load: Load;
  /** Where its data is; in the Redis of all others if absent. */
  readonly home?: Home;
  /** The number of items of its own stock, in a Redis of its own; those of the case if absent. */
  readonly items?: number;
  /** Left out of quick runs, because no target uses it. */
  readonly fullOnly?: true;
}

/** Contestants that are compared with each other. Their runs alternate. */
export interface Case {
  /** The name, or a part of it, selects the case with `--only`. */
  readonly name: string;
  readonly about: string;
  /** The number of items in the stock. */
  readonly items: number;
  /** The number of runs of each contestant; the usual number if absent. */
  readonly rounds?: number;
  /** The load needs no warm-up. */
  readonly cold?: true;
  /** The load calls the code of this checkout, so it cannot measure the server of another one. */
  readonly callsOwnCode?: true;
  readonly contestants: readonly Contestant[];
}

/** The name of our server among the contestants. */
export const ours = "ours";
