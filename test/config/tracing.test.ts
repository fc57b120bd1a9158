import { describe, expect, it } from "vitest";
import { readConfig } from "../../src/config/config.ts";
import { effectiveSettings } from "../../src/config/effective.ts";

const on = { OTEL_TRACES_EXPORTER: "otlp" };
const tracing = (environment: Readonly<Record<string, string>>) =>
  readConfig({ ...on, ...environment }).tracing;

describe("tracing", () => {
  it.each([
    ["by default", {}],
    ["with the exporter none", { OTEL_TRACES_EXPORTER: "none" }],
    ["with OTEL_SDK_DISABLED", { ...on, OTEL_SDK_DISABLED: "true" }],
  ])("is off %s", (_, environment) => {
    expect(readConfig(environment).tracing).toBeUndefined();
  });

  it("has the defaults of OpenTelemetry", () => {
    expect(tracing({})).toEqual({
      sampler: { followsParent: true, ratio: 1 },
      collector: {
        url: "http://localhost:4318/v1/traces",
        headers: {},
        compression: "none",
        requestTimeoutMs: 10_000,
      },
      resource: [["service.name", "inventory"]],
      queue: { maxQueue: 2_048, maxBatch: 512, delayMs: 5_000, timeoutMs: 30_000 },
    });
  });

  it.each([
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: "https://a.example" }, "https://a.example/v1/traces"],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: "https://a.example/b/" }, "https://a.example/b/v1/traces"],
    [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "https://a.example/b" }, "https://a.example/b"],
  ])("with %j sends spans to %s", (environment, url) => {
    expect(tracing(environment)?.collector.url).toBe(url);
  });

  it("prefers the settings for spans to those for everything", () => {
    const environment = {
      OTEL_EXPORTER_OTLP_HEADERS: "a=1,Authorization=Basic%20x",
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: "authorization=Bearer%20y",
      OTEL_EXPORTER_OTLP_TIMEOUT: "1000",
      OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: "2000",
      OTEL_EXPORTER_OTLP_COMPRESSION: "none",
      OTEL_EXPORTER_OTLP_TRACES_COMPRESSION: "gzip",
    };
    expect(tracing(environment)?.collector).toMatchObject({
      headers: { a: "1", authorization: "Bearer y" },
      requestTimeoutMs: 2_000,
      compression: "gzip",
    });
  });

  it.each([
    [{}, { "service.name": "inventory" }],
    [{ OTEL_SERVICE_NAME: "stock" }, { "service.name": "stock" }],
    [
      { OTEL_RESOURCE_ATTRIBUTES: "service.name=a, b.c=d%2Ce" },
      { "service.name": "a", "b.c": "d,e" },
    ],
    [
      { OTEL_RESOURCE_ATTRIBUTES: "service.name=a", OTEL_SERVICE_NAME: "b" },
      { "service.name": "b" },
    ],
  ])("with %j has the attributes %j", (environment, attributes) => {
    expect(Object.fromEntries(tracing(environment)?.resource ?? [])).toEqual(attributes);
  });

  it.each([
    ["1", 1],
    ["0", 0],
    ["0.25", 0.25],
    [".5", 0.5],
    ["1e-3", 0.001],
  ])("accepts the ratio %s", (text, ratio) => {
    const sampler = { OTEL_TRACES_SAMPLER: "traceidratio", OTEL_TRACES_SAMPLER_ARG: text };
    expect(tracing(sampler)?.sampler).toEqual({ followsParent: false, ratio });
  });

  it.each([
    ["OTEL_SDK_DISABLED", "yes"],
    ["OTEL_TRACES_EXPORTER", "jaeger"],
    ["OTEL_EXPORTER_OTLP_ENDPOINT", "localhost:4318"],
    ["OTEL_EXPORTER_OTLP_ENDPOINT", "https://user:password@a.example"],
    ["OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"],
    ["OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "http/json"],
    ["OTEL_EXPORTER_OTLP_HEADERS", "a"],
    ["OTEL_EXPORTER_OTLP_HEADERS", "a b=1"],
    ["OTEL_EXPORTER_OTLP_HEADERS", "a=%0A"],
    ["OTEL_EXPORTER_OTLP_HEADERS", "a=%"],
    ["OTEL_EXPORTER_OTLP_TIMEOUT", "0"],
    ["OTEL_EXPORTER_OTLP_COMPRESSION", "br"],
    ["OTEL_TRACES_SAMPLER", "sometimes"],
    ["OTEL_TRACES_SAMPLER_ARG", "1.1"],
    ["OTEL_TRACES_SAMPLER_ARG", "-0.1"],
    ["OTEL_TRACES_SAMPLER_ARG", "half"],
    ["OTEL_RESOURCE_ATTRIBUTES", "=1"],
    ["OTEL_BSP_MAX_QUEUE_SIZE", "0"],
    ["OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "2049"],
  ])("refuses %s=%s", (name, text) => {
    expect(() => tracing({ [name]: text })).toThrow(new RegExp(`^${name} is `));
  });

  it("shows no headers, and no path or password of a URL", () => {
    const shown = JSON.stringify(
      effectiveSettings({
        OTEL_EXPORTER_OTLP_ENDPOINT: "https://a.example/path-token?query-token",
        OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "https://user:url-password@b.example",
        OTEL_EXPORTER_OTLP_HEADERS: "authorization=header-token",
        OTEL_EXPORTER_OTLP_TRACES_HEADERS: "authorization=traces-token",
      }),
    );
    expect(shown).toContain("https://a.example/***");
    expect(shown).toContain("https://b.example");
    expect(shown).not.toMatch(/token|password@/);
  });
});
