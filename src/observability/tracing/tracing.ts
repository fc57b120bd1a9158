import { ROOT_CONTEXT, type SpanContext, TraceFlags } from "@opentelemetry/api";
import { TraceState } from "@opentelemetry/core";
import { SamplingDecision, TraceIdRatioBasedSampler } from "@opentelemetry/sdk-trace";
import type { Exchange } from "connect-gateway";
import { callRecordOf } from "../../common/call-context.ts";
import type { TracingConfig } from "../../config/config.ts";
import { type HeaderValue, parseTraceparent, sampledByParent } from "../traceparent.ts";
import { createExport, type SpanObservers } from "./export.ts";
import { describeRequest } from "./request-span.ts";
import { startRequestSpan } from "./sdk-span.ts";

export type Tracing = ReturnType<typeof createTracing>;

/** Begins to trace requests. @throws Error when a variable of the exporter is invalid */
export function createTracing(config: TracingConfig, observers: SpanObservers) {
  const { tracer, close } = createExport(config.queue, observers);
  const isSampled = createSampling(config);
  return {
    /** Begins the span of a request, if it is sampled. Call it when the header section is complete. */
    begin({ headers, arrivedAt, record }: Exchange): void {
      const { traceparent, tracestate } = headers;
      if (!isSampled(traceparent)) return;
      const parent = parentOf(traceparent, tracestate);
      callRecordOf(record).span = startRequestSpan(tracer, parent, arrivedAt);
    },
    /** Ends the span of a request. Call it when its response is closed. */
    end(response: Exchange): void {
      const { span } = callRecordOf(response.record);
      if (!span) return;
      describeRequest(span, response);
      span.end(performance.now());
    },
    close,
  };
}

/** The longest `tracestate` that spans have, in characters: the least that the recommendation of W3C asks for. */
const longestTracestate = 512;

/** Returns the span of a request's caller; undefined when a new trace begins. */
function parentOf(traceparent: HeaderValue, tracestate: HeaderValue): SpanContext | undefined {
  const parent = parseTraceparent(traceparent);
  // Several headers are one list.
  const state = tracestate?.toString() ?? "";
  return (
    parent && {
      ...parent,
      traceFlags: TraceFlags.SAMPLED,
      isRemote: true,
      traceState: new TraceState(state.length > longestTracestate ? "" : state),
    }
  );
}

/** Makes the function that decides whether a request is sampled, before a span of it exists: 0.1 µs for one that is not. */
export function createSampling({
  sampler,
  ratio,
}: Pick<TracingConfig, "sampler" | "ratio">): (traceparent: HeaderValue) => boolean {
  const followsParent = sampler.startsWith("parentbased_");
  const share = sampler.endsWith("always_on") ? 1 : sampler.endsWith("always_off") ? 0 : ratio;
  const byTraceId = new TraceIdRatioBasedSampler(share);
  return (traceparent) => {
    const isParentSampled = sampledByParent(traceparent);
    if (isParentSampled === undefined) return Math.random() < share;
    if (followsParent) return isParentSampled;
    const traceId = parseTraceparent(traceparent)?.traceId ?? "";
    const { decision } = byTraceId.shouldSample(ROOT_CONTEXT, traceId);
    return decision === SamplingDecision.RECORD_AND_SAMPLED;
  };
}
