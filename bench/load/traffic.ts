/** The measurements of a load generator. */
export interface Traffic {
  readonly requests: number;
  readonly seconds: number;
  /** Latencies in milliseconds. */
  readonly p50: number;
  readonly p99: number;
}
