import { describe, expect, test } from "vitest";
import { readConfig } from "../../src/config/config.ts";

const on = { OTEL_TRACES_EXPORTER: "otlp" };
const tracing = (environment: Readonly<Record<string, string>>) =>
  readConfig({ ...on, ...environment }).tracing;

describe("tracing", () => {
  test.each([
    ["by default", {}],
    ["with the exporter none", { OTEL_TRACES_EXPORTER: "none" }],
  ])("is off %s", (_, environment) => {
    expect(readConfig(environment).tracing).toBeUndefined();
  });

  test("has the defaults of OpenTelemetry", () => {
    expect(tracing({})).toEqual({
      sampler: "parentbased_always_on",
      ratio: 1,
      queue: { maxQueueSize: 2_048, maxExportBatchSize: 512, scheduledDelayMillis: 5_000 },
    });
  });

  test.each([
    ["1", 1],
    ["0", 0],
    ["0.25", 0.25],
    [".5", 0.5],
    ["1e-3", 0.001],
  ])("accepts the ratio %s", (text, ratio) => {
    expect(tracing({ OTEL_TRACES_SAMPLER_ARG: text })).toMatchObject({ ratio });
  });

  test.each([
    ["OTEL_TRACES_EXPORTER", "jaeger"],
    ["OTEL_TRACES_SAMPLER", "sometimes"],
    ["OTEL_TRACES_SAMPLER_ARG", "1.1"],
    ["OTEL_TRACES_SAMPLER_ARG", "-0.1"],
    ["OTEL_TRACES_SAMPLER_ARG", "half"],
    ["OTEL_BSP_MAX_QUEUE_SIZE", "0"],
  ])("refuses %s=%s", (name, text) => {
    expect(() => tracing({ [name]: text })).toThrow(new RegExp(`^${name} is `));
  });
});
