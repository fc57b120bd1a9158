import { samplerNames } from "../observability/telemetry/sampler.ts";
import { attributes, collectorUrl, headers, redactUrl } from "./otel-parsers.ts";
import { integer, matching, oneOf, ratio } from "./parsers.ts";
import type { Setting } from "./setting.ts";

const url = {
  bounds: "an `http://` or `https://` URL",
  schema: { type: "string", pattern: "^[Hh][Tt][Tt][Pp][Ss]?:" },
  secret: true,
  redact: redactUrl,
  parse: collectorUrl,
} as const;

const headerList = {
  bounds: "`name=value`, separated by commas, with percent-encoded values",
  secret: true,
  parse: headers,
} as const;

/** Tracing. Names, meanings and defaults follow OpenTelemetry. */
export const tracingSettings = {
  OTEL_SDK_DISABLED: {
    meaning: "`true` turns tracing off.",
    default: "false",
    ...oneOf("true", "false"),
  },
  OTEL_TRACES_EXPORTER: {
    meaning: "`otlp` turns tracing on. See [tracing.md](tracing.md).",
    default: "none",
    ...oneOf("none", "otlp"),
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    meaning: "Base URL of the collector. The service appends `/v1/traces`.",
    default: "http://localhost:4318",
    ...url,
  },
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: {
    meaning: "Whole URL that spans are sent to. Default: from `OTEL_EXPORTER_OTLP_ENDPOINT`.",
    ...url,
  },
  OTEL_EXPORTER_OTLP_PROTOCOL: {
    meaning: "Protocol of the collector. There is only one.",
    default: "http/protobuf",
    ...oneOf("http/protobuf"),
  },
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: {
    meaning: "The same, for spans.",
    ...oneOf("http/protobuf"),
  },
  OTEL_EXPORTER_OTLP_HEADERS: {
    meaning: "Headers of requests to the collector, such as `authorization=Bearer%20…`.",
    default: "",
    ...headerList,
  },
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: {
    meaning: "More headers of these requests. They replace headers of the same name.",
    default: "",
    ...headerList,
  },
  OTEL_EXPORTER_OTLP_TIMEOUT: {
    meaning: "Time after which a request to the collector fails, in milliseconds.",
    default: "10000",
    ...integer(100, 300_000),
  },
  OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: {
    meaning: "The same, for spans. Default: `OTEL_EXPORTER_OTLP_TIMEOUT`.",
    ...integer(100, 300_000),
  },
  OTEL_EXPORTER_OTLP_COMPRESSION: {
    meaning: "Compression of requests to the collector.",
    default: "none",
    ...oneOf("none", "gzip"),
  },
  OTEL_EXPORTER_OTLP_TRACES_COMPRESSION: {
    meaning: "The same, for spans. Default: `OTEL_EXPORTER_OTLP_COMPRESSION`.",
    ...oneOf("none", "gzip"),
  },
  OTEL_TRACES_SAMPLER: {
    meaning:
      "Which requests are traced. `parentbased_` samplers follow the decision in the `traceparent` header of a request.",
    default: "parentbased_always_on",
    // biome-ignore lint/plugin: a constant list
    ...oneOf(...samplerNames),
  },
  OTEL_TRACES_SAMPLER_ARG: {
    meaning: "Share of requests that the `traceidratio` samplers sample.",
    default: "1",
    ...ratio,
  },
  OTEL_SERVICE_NAME: {
    meaning:
      "Name of the service in its spans. Default: `service.name` of `OTEL_RESOURCE_ATTRIBUTES`, otherwise `inventory`.",
    ...matching("a text of at most 255 characters", /^[\s\S]{0,255}$/),
  },
  OTEL_RESOURCE_ATTRIBUTES: {
    meaning: "Attributes of the process in its spans, such as `deployment.environment.name=prod`.",
    bounds: "`name=value`, separated by commas, with percent-encoded values",
    default: "",
    parse: attributes,
  },
  OTEL_BSP_SCHEDULE_DELAY: {
    meaning: "Time that the first span of a batch waits for further spans, in milliseconds.",
    default: "5000",
    ...integer(1, 300_000),
  },
  OTEL_BSP_EXPORT_TIMEOUT: {
    meaning: "Time after which a batch that cannot be sent is dropped, in milliseconds.",
    default: "30000",
    ...integer(100, 3_600_000),
  },
  OTEL_BSP_MAX_QUEUE_SIZE: {
    meaning: "Maximum number of spans that wait to be sent. Further spans are dropped.",
    default: "2048",
    ...integer(1, 1_000_000),
  },
  OTEL_BSP_MAX_EXPORT_BATCH_SIZE: {
    meaning:
      "Maximum number of spans of one request to the collector. Must not be more than `OTEL_BSP_MAX_QUEUE_SIZE`.",
    default: "512",
    ...integer(1, 100_000),
  },
} as const satisfies Record<string, Setting<unknown>>;
