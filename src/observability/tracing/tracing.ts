import { type SpanContext, TraceFlags } from "@opentelemetry/api";
import { TraceState } from "@opentelemetry/core";
import type { TracingConfig } from "../../config/config.ts";
import type { NodeServerRequest, NodeServerResponse } from "../../http/exchange/node-http.ts";
import { type HeaderValue, parseTraceparent } from "../../http/traceparent.ts";
import { createExport, type SpanObservers } from "./export.ts";
import { describeRequest } from "./request-span.ts";
import { createSampling } from "./sampling.ts";
import { startRequestSpan } from "./sdk-span.ts";

export type Tracing = ReturnType<typeof createTracing>;

/** Begins to trace requests. @throws Error when a variable of the exporter is invalid */
export function createTracing(config: TracingConfig, observers: SpanObservers) {
  const { tracer, close } = createExport(config.queue, observers);
  const isSampled = createSampling(config);
  return {
    /** Begins the span of a request, if it is sampled. Call it when the header section is complete. */
    begin(request: NodeServerRequest, { record }: NodeServerResponse): void {
      const { traceparent, tracestate } = request.headers;
      if (!isSampled(traceparent)) return;
      record.span = startRequestSpan(tracer, parentOf(traceparent, tracestate), request.arrivedAt);
    },
    /** Ends the span of a request. Call it when its response is closed. */
    end(response: NodeServerResponse): void {
      const { span } = response.record;
      if (!span) return;
      describeRequest(span, response);
      span.end(performance.now());
    },
    /** Sends the spans that wait. */
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
