import type { Data } from "./data.ts";
import type { Server, ServerSpec } from "./machine/server.ts";

/** What can be measured, and its unit. */
export const units = {
  /** CPU time of the server process, user and system, all threads. */
  cpu: "µs/req",
  /** The same of the Redis process. */
  redisCpu: "µs/req",
  throughput: "req/s",
  p50: "ms",
  p99: "ms",
  /** Resident memory of the server process. */
  rss: "MB",
  /** Share of the maximal throughput that is lost under overload: 1 less the goodput. */
  lost: "×",
  /** Start of the process to its first answer. */
  start: "ms",
  /** Memory of one account's windows in Redis. */
  memory: "bytes",
  /** Resident memory in the last quarter of a run, by that in the quarter before. */
  growth: "×",
} as const;

/** The name of a measure. */
export type Measure = keyof typeof units;

/** One run's values. */
export type Sample = Readonly<Partial<Record<Measure, number>>>;

/** What a load has at hand for one run. */
export interface Run {
  readonly server: Server;
  /** Process id of Redis. */
  readonly redisPid: number;
  readonly redisUrl: string;
  readonly data: Data;
  /** How long to drive. */
  readonly seconds: number;
  readonly quick: boolean;
  /** A folder for files, removed in the end. */
  readonly scratch: string;
}

/**
 * Drives a server once and checks its answers.
 *
 * @throws Error that says what was wrong: such a run is never a number
 */
export type Load = (run: Run) => Promise<Sample>;

/** One server under one load. */
export interface Contestant {
  readonly name: string;
  readonly server: ServerSpec;
  readonly load: Load;
  /** Left out of quick runs: for information, no target looks at it. */
  readonly fullOnly?: true;
}

/** Contestants that are compared with each other, their runs taking turns. */
export interface Case {
  /** What `--only` selects by: the beginning or a part of it. */
  readonly name: string;
  readonly about: string;
  /** How many items the stock holds. */
  readonly items: number;
  /** Runs of each contestant; the usual number when absent. */
  readonly rounds?: number;
  /** The load is no traffic that must first be warmed up. */
  readonly cold?: true;
  readonly contestants: readonly Contestant[];
}

/** The name of our server among the contestants. */
export const ours = "ours";
