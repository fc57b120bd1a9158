import { setTimeout as delay } from "node:timers/promises";
import { type DiagLogFunction, DiagLogLevel, diag } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import {
  defaultResource,
  detectResources,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceInstanceIdDetector,
  serviceNameEnvDetector,
} from "@opentelemetry/resources";
import {
  AlwaysOnSampler,
  BatchSpanProcessor,
  type ReadableSpan,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import { atMostEvery } from "../../common/at-most-every.ts";
import { minuteMs } from "../../common/durations.ts";
import type { TracingConfig } from "../../config/config.ts";

/** The name of this code in its spans. */
const scope = "inventory-service";

const detectors = [
  serviceInstanceIdDetector,
  resourceAttributesEnvDetector,
  serviceNameEnvDetector,
];

export interface SpanObservers {
  readonly onExported: (spans: number) => void;
  readonly onDropped: (spans: number) => void;
  /** Called when spans are lost, at most once a minute, with the reason and the number of all spans lost so far. */
  readonly onFailure: (reason: string, lost: number) => void;
}

/**
 * Makes a tracer whose spans are sent to the collector that `OTEL_EXPORTER_OTLP_*` in the environment names, with the
 * attributes of `OTEL_RESOURCE_ATTRIBUTES` and `OTEL_SERVICE_NAME`. Whatever the collector does, only spans are lost.
 *
 * @throws Error when a variable of the exporter is invalid
 */
export function createExport(queue: TracingConfig["queue"], observers: SpanObservers) {
  const { onExported, onDropped, onFailure } = observers;
  /** Spans that have ended, and are neither accepted nor lost yet. */
  let waiting = 0;
  let lost = 0;
  const report = atMostEvery(minuteMs, onFailure);

  function lose(spans: number, reason: string): void {
    lost += spans;
    onDropped(spans);
    report(reason, lost);
  }

  const { exporter, rejectedSpans } = createExporter();
  const processor = new BatchSpanProcessor({
    ...queue,
    exporter: {
      export(spans, done) {
        exporter.export(spans, (result) => {
          waiting -= spans.length;
          const rejected = Math.min(rejectedSpans(), spans.length);
          if (result.error) lose(spans.length, failureText(result.error));
          else {
            onExported(spans.length - rejected);
            if (rejected > 0) lose(rejected, "the collector has rejected spans");
          }
          done(result);
        });
      },
      shutdown: () => exporter.shutdown(),
    },
  });
  const provider = new TracerProvider({
    // Only requests that are sampled have spans.
    sampler: new AlwaysOnSampler(),
    resource: defaultResource()
      .merge(resourceFromAttributes({ "service.name": "inventory" }))
      .merge(detectResources({ detectors })),
    spanProcessors: [
      {
        onStart() {},
        // The processor does not count those that it drops, nor those that are being sent.
        onEnd(span: ReadableSpan) {
          if (waiting >= queue.maxQueueSize) {
            lose(1, "the queue is full");
            return;
          }
          waiting += 1;
          processor.onEnd(span);
        },
        forceFlush: () => processor.forceFlush(),
        shutdown: () => processor.shutdown(),
      },
    ],
  });

  return {
    tracer: provider.getTracer(scope),
    /** Sends the spans that wait. The others are lost. @param graceMs the longest time that this may take */
    async close(graceMs: number): Promise<void> {
      const sent = provider.shutdown().catch(() => {});
      await Promise.race([sent, delay(graceMs, undefined, { ref: false })]);
      if (waiting > 0) lose(waiting, "the process ends before the collector has accepted them");
      waiting = 0;
    },
  };
}

/** Creates the exporter, with what the SDK reports only to its log. */
function createExporter() {
  const faults: string[] = [];
  onWarning((message) => faults.push(message));
  const exporter = new OTLPTraceExporter();
  if (faults.length > 0) {
    // A URL can have a password.
    const reasons = faults.map((fault) => fault.replace(/'.*'/s, "***")).join("; ");
    throw new Error(`OTEL_EXPORTER_OTLP_*: correct or remove the invalid variable: ${reasons}`);
  }
  let rejected = 0;
  onWarning((_message, detail) => {
    rejected = Number(/"rejectedSpans":(\d+)/.exec(String(detail))?.[1] ?? 0);
  });
  return {
    exporter,
    /** Returns how many spans of the request that was just accepted the collector has rejected. */
    rejectedSpans() {
      const count = rejected;
      rejected = 0;
      return count;
    },
  };
}

function onWarning(warn: DiagLogFunction): void {
  const ignore = () => {};
  const logger = { error: ignore, warn, info: ignore, debug: ignore, verbose: ignore };
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
}

/** Returns a line without what the collector has responded. */
function failureText(error: Error & { readonly code?: unknown }): string {
  if (typeof error.code === "number") {
    return `the collector has responded with status ${error.code}`;
  }
  if (error.code !== undefined) return `the collector cannot be reached: ${error.code}`;
  return error.message;
}
