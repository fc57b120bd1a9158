import { randomUUID } from "node:crypto";
import type { RequestRecord } from "../../call/request-record.ts";
import type { TracingConfig } from "../../config/tracing.ts";
import type { NodeServerRequest, NodeServerResponse } from "../../http/exchange/node-http.ts";
import { encodeResource, encodeSpan, epochOfClock } from "../telemetry/otlp-traces.ts";
import { endSpan } from "../telemetry/span.ts";
import { createSpanExporter, type SpanObservers } from "../telemetry/span-exporter.ts";
import { createTracer } from "../telemetry/tracer.ts";
import { describeOutcome, describeRequest } from "./request-span.ts";

/** The name of this code in its spans. */
const scope = "inventory-service";

export type Tracing = ReturnType<typeof createTracing>;

/** Begins to trace requests. */
export function createTracing(config: TracingConfig, observers: SpanObservers) {
  const exporter = createSpanExporter({
    collector: config.collector,
    resource: encodeResource([
      ...config.resource,
      ["service.instance.id", randomUUID()],
      ["telemetry.sdk.name", scope],
      ["telemetry.sdk.language", "nodejs"],
    ]),
    scope,
    ...config.queue,
    ...observers,
  });
  const startRequest = createTracer(config.sampler, (span, endedAt) =>
    exporter.add(() => encodeSpan(span, endedAt, epochOfClock())),
  );

  return {
    /** Begins the span of a request, if it is sampled. Call it when the header section is complete. */
    begin(request: NodeServerRequest, response: NodeServerResponse): void {
      const span = startRequest(request.headers, request.arrivedAt);
      if (!span) return;
      describeRequest(span, request);
      response.record.span = span;
    },
    /** Ends the span of a request. Call it when its response is closed. */
    end(record: RequestRecord): void {
      if (!record.span) return;
      describeOutcome(record.span, record);
      endSpan(record.span, performance.now());
    },
    /** Sends the remaining spans. */
    close: exporter.close,
  };
}
