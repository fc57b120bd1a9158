import {
  type Context,
  ROOT_CONTEXT,
  type SpanContext,
  SpanKind,
  type SpanOptions,
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
  const context = parent ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT;
  const epochMs = epochOfClock();
  const options = { kind: SpanKind.SERVER, startTime: epochMs + startedAt };
  return start({ tracer, epochMs }, "", options, context);
}

/** What the spans of a request share. The SDK would convert the times of each span by another difference of the clocks. */
interface Shared {
  readonly tracer: Tracer;
  /** The time at which performance.now() was 0, in milliseconds since the epoch. */
  readonly epochMs: number;
}

function start(shared: Shared, name: string, options: SpanOptions, context: Context): Span {
  const { tracer, epochMs } = shared;
  const span = tracer.startSpan(name, options, context);
  return {
    context: span.spanContext(),
    startChild(childName, childKind, childStartedAt) {
      const child = { kind: kinds[childKind], startTime: epochMs + childStartedAt };
      return start(shared, childName, child, trace.setSpan(context, span));
    },
    rename: (newName) => void span.updateName(newName),
    setAttributes: (attributes) => void span.setAttributes(attributes),
    addLink: (other) => void span.addLink({ context: other.context }),
    fail: (type) =>
      void span.setStatus({ code: SpanStatusCode.ERROR }).setAttribute("error.type", type),
    end: (endedAt) => span.end(epochMs + endedAt),
  };
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
