import { address, integer, oneOf, ratio, zeroOr } from "./parsers.ts";
import { type Setting, setting } from "./setting.ts";

export const logSettings = {
  LOG_LEVEL: setting(
    "Least severe level that is logged, as JSON lines on standard output. See [logs.md](logs.md). In `CONFIG_FILE`, it can change [while the service runs](#reload-with-sighup).",
    { default: "info", ...oneOf("silent", "error", "warn", "info", "debug") },
  ),
  SLOW_REQUEST_MS: setting(
    "Time after which a request is logged as slow, in milliseconds. Streams are exempt. 0 logs none.",
    zeroOr(1, 3_600_000, 1_000),
  ),
  ACCESS_LOG: setting(
    "Requests that have a line in the log: none, those that end with an error, a random sample, or all. Does not depend on `LOG_LEVEL`.",
    { default: "off", ...oneOf("off", "errors", "sampled", "all") },
  ),
  ACCESS_LOG_SAMPLE: setting("Share of the requests that `ACCESS_LOG=sampled` logs.", {
    default: "0.01",
    ...ratio,
  }),
  ACCESS_LOG_LINES_PER_SECOND: setting(
    "Maximum number of lines of the access log per second, in each process. The next line has the number of dropped lines.",
    integer(1, 1_000_000, 1_000),
  ),
} satisfies Record<string, Setting<unknown>>;

/** The port for operators, with metrics. */
export const adminSettings = {
  ADMIN_ADDR: setting(
    "Address of the admin port, which serves `/metrics`, `/healthz`, `/config` and `/debug`. It needs no key, so only operators may reach it. An empty value turns it off. If the default port is in use, the service warns and starts without an admin port.",
    { default: "127.0.0.1:9464", mayBeEmpty: true, ...address },
  ),
  ADMIN_DEBUG: setting(
    "Whether the admin port serves heap snapshots and CPU profiles. A heap snapshot contains secrets, and the process does not respond while it is made.",
    { default: "off", ...oneOf("on", "off") },
  ),
} satisfies Record<string, Setting<unknown>>;

/** Tracing. Names, meanings and defaults follow OpenTelemetry, whose exporter reads further variables of the environment. */
export const tracingSettings = {
  OTEL_TRACES_EXPORTER: setting("`otlp` turns tracing on. See [tracing.md](tracing.md).", {
    default: "none",
    ...oneOf("none", "otlp"),
  }),
  OTEL_TRACES_SAMPLER: setting(
    "Which requests are traced. `parentbased_` samplers follow the decision in the `traceparent` header of a request.",
    {
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
  ),
  OTEL_TRACES_SAMPLER_ARG: setting("Share of requests that the `traceidratio` samplers sample.", {
    default: "1",
    ...ratio,
  }),
  OTEL_BSP_SCHEDULE_DELAY: setting(
    "Time that the first span of a batch waits for further spans, in milliseconds.",
    integer(1, 300_000, 5_000),
  ),
  OTEL_BSP_MAX_QUEUE_SIZE: setting(
    "Maximum number of spans that the collector has not accepted yet. Further spans are dropped.",
    integer(1, 1_000_000, 2_048),
  ),
  OTEL_BSP_MAX_EXPORT_BATCH_SIZE: setting(
    "Maximum number of spans of one request to the collector. More than `OTEL_BSP_MAX_QUEUE_SIZE` has no effect.",
    integer(1, 100_000, 512),
  ),
} satisfies Record<string, Setting<unknown>>;
