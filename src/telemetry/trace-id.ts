import type { Span } from "./span.ts";
import { parseTraceparent } from "./trace-context.ts";

/**
 * Returns the trace id of a request for its log lines: that of its span, or that of its client if it is not sampled.
 *
 * @param traceparent the header of the request
 * @returns undefined when the request belongs to no trace
 */
export function traceIdOf(
  span: Span | undefined,
  traceparent: string | readonly string[] | undefined,
): string | undefined {
  if (span) return span.traceId;
  return typeof traceparent === "string" ? parseTraceparent(traceparent)?.traceId : undefined;
}
