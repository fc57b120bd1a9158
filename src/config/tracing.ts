import { samplerOf } from "../observability/telemetry/sampler.ts";
import type { Read } from "./sources.ts";

/** How requests are traced. Times are in milliseconds. */
export type TracingConfig = NonNullable<ReturnType<typeof tracingConfig>>;

/** Reads the settings of tracing. @returns undefined when tracing is off */
export function tracingConfig(read: Read, faults: string[]) {
  const before = faults.length;
  const isOn = read("OTEL_SDK_DISABLED") === "false" && read("OTEL_TRACES_EXPORTER") === "otlp";
  const base = read("OTEL_EXPORTER_OTLP_ENDPOINT");
  const url = read("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT");
  read("OTEL_EXPORTER_OTLP_PROTOCOL");
  read("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL");
  const headers = {
    ...read("OTEL_EXPORTER_OTLP_HEADERS"),
    ...read("OTEL_EXPORTER_OTLP_TRACES_HEADERS"),
  };
  const timeoutMs = read("OTEL_EXPORTER_OTLP_TIMEOUT");
  const compression = read("OTEL_EXPORTER_OTLP_COMPRESSION");
  const collector = {
    headers,
    compression: read("OTEL_EXPORTER_OTLP_TRACES_COMPRESSION") ?? compression,
    requestTimeoutMs: read("OTEL_EXPORTER_OTLP_TRACES_TIMEOUT") ?? timeoutMs,
  };
  const sampler = read("OTEL_TRACES_SAMPLER");
  const ratio = read("OTEL_TRACES_SAMPLER_ARG");
  const name = read("OTEL_SERVICE_NAME");
  const resource = read("OTEL_RESOURCE_ATTRIBUTES");
  const queue = {
    maxQueue: read("OTEL_BSP_MAX_QUEUE_SIZE"),
    maxBatch: read("OTEL_BSP_MAX_EXPORT_BATCH_SIZE"),
    delayMs: read("OTEL_BSP_SCHEDULE_DELAY"),
    timeoutMs: read("OTEL_BSP_EXPORT_TIMEOUT"),
  };
  if (faults.length > before) return undefined;
  if (queue.maxBatch > queue.maxQueue) {
    faults.push(
      `OTEL_BSP_MAX_EXPORT_BATCH_SIZE is ${queue.maxBatch}: it must not be more than OTEL_BSP_MAX_QUEUE_SIZE (${queue.maxQueue})`,
    );
  }
  if (!isOn) return undefined;
  return {
    sampler: samplerOf(sampler, ratio),
    collector: { ...collector, url: url ?? `${base.replace(/\/+$/, "")}/v1/traces` },
    /** Attributes of the process, with the name of the service. */
    resource: Object.entries({
      "service.name": "inventory",
      ...Object.fromEntries(resource),
      ...(name !== undefined && { "service.name": name }),
    }),
    queue,
  };
}
