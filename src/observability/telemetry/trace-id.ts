import type { Span } from "./span.ts";
import { type HeaderValue, parseTraceparent } from "./trace-context.ts";

/**
 * Returns the trace id of a request for its log lines: that of its span, or that of its client if it is not sampled.
 *
 * @param traceparent the header of the request
 * @returns undefined when the request belongs to no trace
 */
export function traceIdOf(span: Span | undefined, traceparent: HeaderValue): string | undefined {
  return span ? span.traceId : parseTraceparent(traceparent)?.traceId;
}
