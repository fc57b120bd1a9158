import type { Measure } from "./case.ts";

/** What a measured value may be at most. */
export interface Target {
  readonly case: string;
  readonly measure: Measure;
  /** The contestant that ours is divided by; absent when `most` is in the measure's unit. */
  readonly peer?: string;
  readonly most: number;
  /** A ratio that was reached where the target is missed: a quick run is held against it. */
  readonly reached?: number;
}

/** Every target. Medians of one run are compared, so that they hold on any machine. */
export const targets: readonly Target[] = [
  { case: "grpc-list", measure: "cpu", peer: "grpc-js", most: 1 },
  { case: "grpc-update", measure: "cpu", peer: "our-list", most: 1.2 },
  { case: "grpc-steady", measure: "p99", peer: "grpc-js", most: 1 },
  { case: "connect-json", measure: "cpu", peer: "connect-node", most: 0.4 },
  { case: "connect-binary", measure: "cpu", peer: "connect-node", most: 0.4 },
  { case: "http-list", measure: "cpu", peer: "bare-http", most: 1.6 },
  { case: "http-list", measure: "cpu", peer: "fastify-flexible", most: 0.3 },
  { case: "http-list", measure: "cpu", peer: "go-gateway", most: 1 },
  { case: "http-list", measure: "redisCpu", most: 5 },
  { case: "http-list", measure: "redisCpu", peer: "fastify-flexible", most: 0.35 },
  { case: "http-update", measure: "cpu", peer: "bare-http", most: 2.5 },
  { case: "http-update", measure: "cpu", peer: "fastify-flexible", most: 0.35 },
  { case: "http-refused", measure: "cpu", peer: "bare-http", most: 1.4 },
  { case: "http-greedy", measure: "p99", peer: "unloaded", most: 1.5 },
  { case: "http-long", measure: "cpu", peer: "bare-http", most: 1.15 },
  { case: "http-long-gzip", measure: "cpu", peer: "bare-http", most: 1.15 },
  { case: "http-long-changed", measure: "cpu", peer: "fastify-flexible", most: 0.15 },
  { case: "http-alone", measure: "p50", peer: "bare-http-ping", most: 1.25 },
  { case: "limiter", measure: "redisCpu", most: 6 },
  { case: "limiter", measure: "memory", most: 600 },
  { case: "start", measure: "start", most: 400 },
  { case: "memory", measure: "rss", most: 120 },
  { case: "memory", measure: "growth", most: 1.05 },
];
