import {
  type Context,
  ROOT_CONTEXT,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import type { Span } from "../../common/span.ts";

const kinds = { client: SpanKind.CLIENT, internal: SpanKind.INTERNAL } as const;

/** Begins the span of a request, at a time of performance.now(). @param parent its caller's; undefined for a new trace */
export function startRequestSpan(
  tracer: Tracer,
  parent: SpanContext | undefined,
  startedAt: number,
): Span {
  // The SDK would convert the times of each span by another difference of the clocks.
  const epochMs = epochOfClock();
  const start = (name: string, kind: SpanKind, at: number, context: Context): Span => {
    const span = tracer.startSpan(name, { kind, startTime: epochMs + at }, context);
    return {
      context: span.spanContext(),
      startChild: (childName, childKind, childAt) =>
        start(childName, kinds[childKind], childAt, trace.setSpan(context, span)),
      rename: (newName) => void span.updateName(newName),
      setAttributes: (attributes) => void span.setAttributes(attributes),
      addLink: (other) => void span.addLink({ context: other.context }),
      fail: (type) =>
        void span.setStatus({ code: SpanStatusCode.ERROR }).setAttribute("error.type", type),
      end: (endedAt) => span.end(epochMs + endedAt),
    };
  };
  const context = parent ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT;
  return start("", SpanKind.SERVER, startedAt, context);
}

/** The largest difference between the two clocks that is not corrected, in milliseconds. */
const toleranceMs = 5;

let knownEpochMs = performance.timeOrigin;

/**
 * Returns the time at which performance.now() was 0, in milliseconds since the epoch. It follows the system clock,
 * which is corrected while the process runs. Date.now() has whole milliseconds only, so small differences are ignored.
 */
function epochOfClock(): number {
  const measured = Date.now() - performance.now();
  if (Math.abs(measured - knownEpochMs) > toleranceMs) knownEpochMs = measured;
  return knownEpochMs;
}
