import type { Measure } from "./case.ts";

/** The maximum of a measured value. */
export interface Target {
  readonly case: string;
  readonly measure: Measure;
  /** The contestant that our value is divided by; absent if `most` has the unit of the measure. */
  readonly peer?: string;
  readonly most: number;
  /**
   * What a quick run reached on a busy machine, if that misses the target. Later quick runs are compared with this
   * value instead.
   */
  readonly reached?: number;
}

/**
 * All targets. They compare runs that followed each other, so they are valid on any machine. Comments name the cause of a
 * missed target, and the change that would meet it.
 */
export const targets: readonly Target[] = [
  // Two thirds of the cost is node:http2, whose streams are Node streams with a state each.
  // Needed: HTTP/2 frames without node:http2.
  { case: "grpc-list", measure: "cpu", peer: "grpc-js", most: 0.75, reached: 1.2 },
  // An update needs two script calls, one after the other: the account and the stock have different slots in a cluster.
  // Needed: one script for both on a single Redis, which takes a second set of rules. The same holds for http-update.
  { case: "grpc-update", measure: "cpu", peer: "our-list", most: 1.2, reached: 1.55 },
  { case: "grpc-steady", measure: "p99", peer: "grpc-js", most: 1 },
  { case: "connect-json", measure: "cpu", peer: "connect-node", most: 0.4 },
  { case: "connect-binary", measure: "cpu", peer: "connect-node", most: 0.4 },
  // Node's own HTTP is half of the cost. The other half is the admission, the limit headers, the record, metrics and log.
  // Needed: HTTP/1.1 without node:http, and an admission that calls back instead of a promise. The same holds for
  // http-refused, and for allocated bytes, promises and ticks.
  { case: "http-list", measure: "cpu", peer: "bare-http", most: 2, reached: 3.3 },
  { case: "http-list", measure: "cpu", peer: "fastify-flexible", most: 0.3, reached: 0.6 },
  { case: "http-list", measure: "cpu", peer: "go-gateway", most: 1 },
  // The script reads the key's record and counts two sliding windows exactly. Fastify's limiter counts one fixed window.
  // Needed: a packed record of key and windows in one string. The same holds for the limiter.
  { case: "http-list", measure: "redisCpu", most: 5 },
  { case: "http-list", measure: "redisCpu", peer: "fastify-flexible", most: 0.2, reached: 0.36 },
  { case: "http-list", measure: "allocated", most: 11_200 },
  { case: "http-list", measure: "systemCalls", most: 2.2 },
  { case: "made", measure: "promises", most: 8 },
  { case: "made", measure: "ticks", most: 4 },
  { case: "http-update", measure: "cpu", peer: "bare-http", most: 2.5, reached: 4.2 },
  { case: "http-update", measure: "cpu", peer: "fastify-flexible", most: 0.55, reached: 0.9 },
  { case: "http-hold", measure: "cpu", peer: "our-order", most: 1.5 },
  { case: "http-hold", measure: "redisCpu", peer: "our-order", most: 1.5 },
  { case: "http-confirm", measure: "cpu", peer: "our-order", most: 1.5 },
  { case: "http-confirm", measure: "redisCpu", peer: "our-order", most: 1.5 },
  { case: "http-refused", measure: "cpu", peer: "bare-http", most: 1.4, reached: 3.6 },
  { case: "http-greedy", measure: "p99", peer: "unloaded", most: 1.5 },
  // The goodput must be at least 90 % of the maximum.
  { case: "http-overload", measure: "lost", most: 0.1 },
  // The generator opens 4,000 connections. Node accepts them one by one, and each takes as long as a request. Needed:
  // several sockets that accept at the same port.
  { case: "http-overload", measure: "p99", most: 400 },
  { case: "http-overload-10", measure: "lost", most: 0.1 },
  // The list is sent in pieces, so that other requests have their turn.
  // Needed: larger pieces, so that other requests wait longer.
  { case: "http-long", measure: "cpu", peer: "bare-http", most: 1.2, reached: 2.4 },
  { case: "http-long-gzip", measure: "cpu", peer: "bare-http", most: 1.3, reached: 3 },
  { case: "http-long-changed", measure: "cpu", peer: "fastify-flexible", most: 0.15, reached: 0.2 },
  // The cached list is text, and its request has nothing to read. A selection has 20 ids to parse and to check. Needed:
  // parsed queries that are cached by their text.
  { case: "http-selected", measure: "cpu", peer: "whole-list", most: 1.2 },
  // A request waits for the end of the tick, so that other requests can join its script call. Needed: a timer for each
  // request, which costs more under load.
  { case: "http-alone", measure: "p50", peer: "bare-http-ping", most: 1.4, reached: 3.4 },
  { case: "telemetry", measure: "cpu", peer: "unobserved", most: 1.02, reached: 1.2 },
  { case: "limiter", measure: "redisCpu", most: 6 },
  { case: "limiter", measure: "memory", most: 600 },
  { case: "start", measure: "start", peer: "bare-http", most: 4 },
  { case: "memory", measure: "rss", most: 150 },
  { case: "memory", measure: "growth", most: 1.05 },
];
