import type { Measure } from "./case.ts";

/** The maximum of a measured value. */
export interface Target {
  readonly case: string;
  readonly measure: Measure;
  /** The contestant that our value is divided by; of `lost`, its value is subtracted. Absent if `most` has the unit of the measure. */
  readonly peer?: string;
  readonly most: number;
  /**
   * What a quick run reached on a busy machine, if that misses the target. Later quick runs are compared with this
   * value instead.
   */
  readonly reached?: number;
}

/**
 * All targets. They compare runs that followed each other, so they are valid on any machine. performance.md says why some are
 * missed.
 */
export const targets: readonly Target[] = [
  { case: "grpc-list", measure: "cpu", peer: "grpc-js", most: 0.7, reached: 1.2 },
  { case: "grpc-update", measure: "cpu", peer: "our-list", most: 1.2, reached: 1.55 },
  { case: "grpc-steady", measure: "p99", peer: "grpc-js", most: 0.4 },
  { case: "connect-json", measure: "cpu", peer: "connect-node", most: 0.25 },
  { case: "connect-binary", measure: "cpu", peer: "connect-node", most: 0.3 },
  { case: "http-list", measure: "cpu", peer: "bare-http", most: 2, reached: 3.3 },
  { case: "http-list", measure: "cpu", peer: "fastify-flexible", most: 0.3, reached: 0.6 },
  { case: "http-list", measure: "cpu", peer: "go-gateway", most: 0.2 },
  { case: "http-list", measure: "redisCpu", most: 8 },
  { case: "http-list", measure: "redisCpu", peer: "fastify-flexible", most: 0.2, reached: 0.36 },
  { case: "http-list", measure: "allocated", most: 11_200 },
  { case: "http-list", measure: "systemCalls", most: 2.2 },
  { case: "made", measure: "promises", most: 8 },
  { case: "made", measure: "ticks", most: 4 },
  { case: "http-update", measure: "cpu", peer: "bare-http", most: 2.5, reached: 4.2 },
  { case: "http-update", measure: "cpu", peer: "fastify-flexible", most: 0.65, reached: 0.9 },
  { case: "http-update", measure: "redisCpu", most: 25 },
  { case: "http-hold", measure: "cpu", peer: "our-order", most: 1.2 },
  { case: "http-hold", measure: "redisCpu", peer: "our-order", most: 1.4 },
  { case: "http-confirm", measure: "cpu", peer: "our-order", most: 1.3 },
  { case: "http-confirm", measure: "redisCpu", peer: "our-order", most: 1.5 },
  { case: "http-refused", measure: "cpu", peer: "bare-http", most: 2, reached: 3.6 },
  { case: "http-greedy", measure: "p99", peer: "unloaded", most: 1.5 },
  { case: "http-overload", measure: "lost", peer: "bare-http", most: 0.1 },
  { case: "http-overload", measure: "p99", most: 400 },
  { case: "http-overload-10", measure: "lost", peer: "bare-http", most: 0.1 },
  { case: "http-overload-10", measure: "p99", most: 400 },
  { case: "http-long", measure: "cpu", peer: "bare-http", most: 1.4, reached: 2.4 },
  { case: "http-long-gzip", measure: "cpu", peer: "bare-http", most: 1.3, reached: 3 },
  { case: "http-long-changed", measure: "cpu", peer: "fastify-flexible", most: 0.15, reached: 0.2 },
  { case: "http-selected", measure: "cpu", peer: "whole-list", most: 1.3 },
  { case: "http-alone", measure: "p50", peer: "bare-http-ping", most: 1.5, reached: 3.4 },
  { case: "telemetry", measure: "cpu", peer: "unobserved", most: 1.02, reached: 1.2 },
  { case: "limiter", measure: "redisCpu", most: 6 },
  { case: "limiter", measure: "memory", most: 600 },
  { case: "start", measure: "start", peer: "bare-http", most: 4 },
  { case: "start", measure: "rss", most: 95 },
  { case: "memory", measure: "rss", most: 150 },
  { case: "memory", measure: "growth", most: 1.05 },
];
