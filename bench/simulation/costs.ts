import { readFileSync } from "node:fs";
import { join } from "node:path";
import { medianIn } from "../report/measured.ts";

/** CPU time in a process of the service, in µs. */
export interface ProcessCosts {
  /** A tick that begins while the process sleeps. */
  readonly wake: number;
  /** Commands that a tick writes to one Redis server, and their replies. */
  readonly message: number;
  /** A script call. */
  readonly call: number;
  /** A decision of a script call. */
  readonly decision: number;
  /** A request that reads the list of 10 items, without the parts above. */
  readonly read: number;
  /** A request that changes an item, without the parts above. */
  readonly update: number;
  /** A change that the process reads to keep its list current. */
  readonly changeRead: number;
}

/** CPU time in a Redis server, in µs. */
export interface RedisCosts {
  /** A tick that begins while the server sleeps. */
  readonly wake: number;
  /** Commands that a process writes at once, and their replies. */
  readonly message: number;
  /** A script call. */
  readonly call: number;
  /** A decision on a request: key, ban and both windows. */
  readonly decision: number;
  /** A change of an item. */
  readonly change: number;
  /** A change that a process reads from the history. */
  readonly changeRead: number;
}

/** What each part of a request costs. */
export interface Costs {
  readonly process: ProcessCosts;
  readonly redis: RedisCosts;
}

/**
 * The totals of requests are those of bench/results.md and bench/scale.md, on a machine that did little else. They are
 * divided into parts like the smallest values of bench/cluster.md, which other work has disturbed least. The cost of
 * waking up is that of `http-alone`, where both event loops sleep before each request.
 */
export const measuredCosts: Costs = {
  process: { wake: 140, message: 10, call: 9, decision: 4, read: 35, update: 32, changeRead: 10 },
  redis: { wake: 45, message: 11, call: 7, decision: 5.5, change: 9, changeRead: 8 },
};

/** A measured run of one process with a single Redis. CPU time per request and latencies in µs. */
export interface MeasuredRun {
  readonly name: string;
  /** Requests a second, or clients that each wait for a response before their next request. */
  readonly load: { readonly rate: number } | { readonly clients: number };
  readonly server: number;
  readonly redis: number;
  readonly p50: number;
}

const results = readFileSync(join(import.meta.dirname, "../results.md"), "utf8");

/** Returns a run in bench/results.md. */
function runOf(
  name: string,
  caseName: string,
  server: string,
  load: MeasuredRun["load"],
): MeasuredRun {
  const median = (heading: string) => {
    const value = medianIn(results, caseName, server, heading);
    if (value === undefined) throw new Error(`bench/results.md has no ${server} in ${caseName}`);
    return value;
  };
  const micros = 1_000 * median("p50, ms");
  return {
    name,
    load,
    server: median("CPU, µs/req"),
    redis: median("Redis CPU, µs/req"),
    p50: micros,
  };
}

/** Runs of `GET /v1/inventory` in bench/results.md. */
export const measuredRuns: readonly MeasuredRun[] = [
  runOf("http-alone", "http-alone", "ours", { clients: 1 }),
  runOf("http-greedy, unloaded", "http-greedy", "unloaded", { rate: 1_000 }),
  runOf("http-list", "http-list", "ours", { clients: 64 }),
];
