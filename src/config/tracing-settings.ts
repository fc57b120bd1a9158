import { integer, oneOf, ratio } from "./parsers.ts";
import type { Setting } from "./setting.ts";

/** Tracing. Names, meanings and defaults follow OpenTelemetry, whose exporter reads further variables of the environment. */
export const tracingSettings = {
  OTEL_TRACES_EXPORTER: {
    meaning: "`otlp` turns tracing on. See [tracing.md](tracing.md).",
    default: "none",
    ...oneOf("none", "otlp"),
  },
  OTEL_TRACES_SAMPLER: {
    meaning:
      "Which requests are traced. `parentbased_` samplers follow the decision in the `traceparent` header of a request.",
    default: "parentbased_always_on",
    ...oneOf(
      "always_on",
      "always_off",
      "traceidratio",
      "parentbased_always_on",
      "parentbased_always_off",
      "parentbased_traceidratio",
    ),
  },
  OTEL_TRACES_SAMPLER_ARG: {
    meaning: "Share of requests that the `traceidratio` samplers sample.",
    default: "1",
    ...ratio,
  },
  OTEL_BSP_SCHEDULE_DELAY: {
    meaning: "Time that the first span of a batch waits for further spans, in milliseconds.",
    ...integer(1, 300_000, 5_000),
  },
  OTEL_BSP_MAX_QUEUE_SIZE: {
    meaning:
      "Maximum number of spans that the collector has not accepted yet. Further spans are dropped.",
    ...integer(1, 1_000_000, 2_048),
  },
  OTEL_BSP_MAX_EXPORT_BATCH_SIZE: {
    meaning:
      "Maximum number of spans of one request to the collector. More than `OTEL_BSP_MAX_QUEUE_SIZE` has no effect.",
    ...integer(1, 100_000, 512),
  },
} as const satisfies Record<string, Setting<unknown>>;
