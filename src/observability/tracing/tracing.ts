import { randomUUID } from "node:crypto";
import type { RequestRecord } from "../../call/request-record.ts";
import type { TracingConfig } from "../../config/tracing.ts";
import type { NodeServerRequest, NodeServerResponse } from "../../http/exchange/node-http.ts";
import { epochOfClock } from "../telemetry/epoch.ts";
import { encodeResource, encodeSpan } from "../telemetry/otlp-traces.ts";
import { endSpan } from "../telemetry/span.ts";
import { createSpanExporter } from "../telemetry/span-exporter.ts";
import { createTracer } from "../telemetry/tracer.ts";
import { describeOutcome, describeRequest } from "./request-span.ts";

/** The name of this code in its spans. */
const scope = "inventory-service";

/** Functions that are called with what happens to spans. */
export interface TracingObservers {
  /** Called with the number of spans that the collector has accepted. */
  readonly onExported: (spans: number) => void;
  /** Called with the number of spans that are lost. */
  readonly onDropped: (spans: number) => void;
  /** Called when spans are lost, at most once a minute, with the reason and the number of all spans lost so far. */
  readonly onFailure: (reason: string, lost: number) => void;
}

/** Traces requests. */
export interface Tracing {
  /** Begins the span of a request, if it is sampled. Call it when the header section is complete. */
  begin(request: NodeServerRequest, response: NodeServerResponse): void;
  /** Ends the span of a request. Call it when its response is closed. */
  end(record: RequestRecord): void;
  /** Sends the remaining spans. @param graceMs the longest time that takes */
  close(graceMs: number): Promise<void>;
}

/** Begins to trace requests. */
export function createTracing(config: TracingConfig, observers: TracingObservers): Tracing {
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
  const startRequest = createTracer(config.sampler, (span, endedAt) => {
    if (exporter.isFull()) exporter.drop();
    else exporter.add(encodeSpan(span, endedAt, epochOfClock()));
  });

  return {
    begin(request, response) {
      const span = startRequest(request.headers, request.arrivedAt);
      if (!span) return;
      describeRequest(span, request);
      response.record.span = span;
    },
    end(record) {
      if (!record.span) return;
      describeOutcome(record.span, record);
      endSpan(record.span, performance.now());
    },
    close: exporter.close,
  };
}
