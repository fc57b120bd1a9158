import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createExport } from "../../../src/observability/tracing/export.ts";
import { startRequestSpan } from "../../../src/observability/tracing/sdk-span.ts";
import { useOtlpSink } from "../../support/otlp-sink.ts";

const sink = useOtlpSink();

/** Sets variables of this process until the end of the test. */
function setVariables(variables: Readonly<Record<string, string>>): void {
  Object.assign(process.env, variables);
  onTestFinished(() => {
    for (const name of Object.keys(variables)) delete process.env[name];
  });
}

/** Makes an export of short batches, and ends some spans. `add` ends more. */
function startExport(spans: number, queue: Partial<Parameters<typeof createExport>[0]> = {}) {
  const reports = { exported: 0, dropped: 0, failures: [] as string[] };
  const { tracer, close } = createExport(
    { maxQueueSize: 10, maxExportBatchSize: 5, scheduledDelayMillis: 1, ...queue },
    {
      onExported(count) {
        reports.exported += count;
      },
      onDropped(count) {
        reports.dropped += count;
      },
      onFailure: (reason) => reports.failures.push(reason),
    },
  );
  onTestFinished(() => close(0));
  function add(count: number): void {
    for (let at = 0; at < count; at += 1) {
      const span = startRequestSpan(tracer, undefined, performance.now());
      span.rename(`${at}`);
      span.end(performance.now());
    }
  }
  add(spans);
  return { add, close, reports };
}

const until = (condition: () => void) => vi.waitFor(condition, { timeout: 10_000, interval: 5 });

const respondWith =
  (status: number, headers: Record<string, string> = {}, body: Uint8Array | string = "") =>
  (response: ServerResponse) =>
    void response.writeHead(status, headers).end(body);

describe("spans", () => {
  test("are sent in order, in batches, as Protobuf, with the headers of the environment", async () => {
    setVariables({ OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20collector-token" });
    const { reports } = startExport(8);
    const spans = await sink.until((all) => all.length === 8);
    expect(spans.map(({ name }) => name)).toEqual(["0", "1", "2", "3", "4", "5", "6", "7"]);
    expect(sink.requests).toHaveLength(2);
    expect(sink.requests[0]).toMatchObject({
      url: "/v1/traces",
      headers: {
        "content-type": "application/x-protobuf",
        authorization: "Bearer collector-token",
      },
    });
    await until(() => expect(reports).toEqual({ exported: 8, dropped: 0, failures: [] }));
  });

  test.each<[variables: Record<string, string>, service: string]>([
    [{}, "inventory"],
    [{ OTEL_RESOURCE_ATTRIBUTES: "service.name=stock,b.c=d%2Ce" }, "stock"],
    [{ OTEL_RESOURCE_ATTRIBUTES: "service.name=a", OTEL_SERVICE_NAME: "b" }, "b"],
  ])("are those of the process that the environment describes: %j", async (variables, service) => {
    setVariables(variables);
    startExport(1);
    await sink.until((all) => all.length === 1);
    const { "b.c": attribute, ...resource } = sink.resource;
    expect(resource).toMatchObject({
      "service.name": service,
      "service.instance.id": expect.stringMatching(/^[0-9a-f-]{36}$/),
      "telemetry.sdk.language": "nodejs",
    });
    expect(attribute).toBe(service === "stock" ? "d,e" : undefined);
  });

  test("are dropped and counted when the collector accepts none and the queue is full", async () => {
    sink.respond = () => {};
    const { add, reports } = startExport(20);
    expect(reports).toEqual({ exported: 0, dropped: 10, failures: ["the queue is full"] });
    // Those that are being sent count.
    await until(() => expect(sink.requests).toHaveLength(1));
    add(1);
    expect(reports.dropped).toBe(11);
  });

  test("that the collector rejects are counted", async () => {
    sink.respond = respondWith(200, {}, Buffer.from("0a020802", "hex"));
    const { reports } = startExport(5);
    await until(() => expect(reports).toMatchObject({ exported: 3, dropped: 2 }));
    expect(reports.failures).toEqual(["the collector has rejected spans"]);
  });

  test.each<[end: string, respond: (response: ServerResponse) => void, lost: number]>([
    ["accepted", respondWith(200), 0],
    ["rejected in part", respondWith(200, {}, Buffer.from("0a020802", "hex")), 4],
    ["refused", respondWith(400), 10],
    ["cut off", (response) => void response.destroy(), 10],
    ["not answered", () => {}, 10],
  ])("give their places in the queue back when they were %s", async (_end, respond, lost) => {
    sink.respond = respond;
    setVariables({ OTEL_EXPORTER_OTLP_TIMEOUT: "300" });
    const { add, reports } = startExport(10);
    await until(() => expect(reports.exported + reports.dropped).toBe(10));
    expect(reports.dropped).toBe(lost);
    sink.respond = respondWith(200);
    add(10);
    await until(() => expect(reports).toMatchObject({ exported: 20 - lost, dropped: lost }));
  });
});

describe("a batch", () => {
  test.each([429, 503])("is sent again after status %d", async (status) => {
    sink.respond = (response) => {
      sink.respond = undefined;
      respondWith(status)(response);
    };
    const { reports } = startExport(1);
    await sink.until((all) => all.length === 1);
    await until(() => expect(reports).toEqual({ exported: 1, dropped: 0, failures: [] }));
    expect(sink.requests).toHaveLength(2);
  });

  test.each([400, 307])("is dropped after status %d", async (status) => {
    const location = `${process.env.OTEL_EXPORTER_OTLP_ENDPOINT}/v1/traces`;
    sink.respond = respondWith(status, { location }, "a body with collector-token");
    const { reports } = startExport(1);
    const failures = [`the collector has responded with status ${status}`];
    await until(() => expect(reports).toEqual({ exported: 0, dropped: 1, failures }));
    expect(sink.requests).toHaveLength(1);
  });

  test("is dropped when the collector does not respond in time", async () => {
    sink.respond = () => {};
    setVariables({ OTEL_EXPORTER_OTLP_TIMEOUT: "300" });
    const { reports } = startExport(1);
    const failures = ["Request timed out"];
    await until(() => expect(reports).toEqual({ exported: 0, dropped: 1, failures }));
  });

  test("is dropped when nothing listens, and the reason names no URL", async () => {
    const closed = createServer().listen(0, "127.0.0.1");
    await once(closed, "listening");
    const { port } = closed.address() as AddressInfo;
    await promisify(closed.close.bind(closed))();
    setVariables({
      OTEL_EXPORTER_OTLP_TIMEOUT: "300",
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `http://user:secret-token@127.0.0.1:${port}/secret-token`,
    });
    const { reports } = startExport(1);
    const failures = ["the collector cannot be reached: ECONNREFUSED"];
    await until(() => expect(reports).toEqual({ exported: 0, dropped: 1, failures }));
  });
});

describe("failures", () => {
  test("are reported once a minute", async () => {
    sink.respond = respondWith(400);
    const { add, reports } = startExport(0);
    for (const lost of [5, 10, 15]) {
      add(5);
      await until(() => expect(reports.dropped).toBe(lost));
    }
    expect(reports.failures).toHaveLength(1);
  });

  test.each([
    ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "secret-token", /could not parse.*URL/i],
    ["OTEL_EXPORTER_OTLP_TIMEOUT", "soon", /OTEL_EXPORTER_OTLP_TIMEOUT/],
    ["OTEL_EXPORTER_OTLP_COMPRESSION", "br", /OTEL_EXPORTER_OTLP_COMPRESSION/],
    ["OTEL_EXPORTER_OTLP_CERTIFICATE", "/secret-token", /certificate/],
  ])("of %s=%s prevent the start, without the value", (name, value, message) => {
    setVariables({ [name]: value });
    expect(() => startExport(0)).toThrow(message);
    expect(() => startExport(0)).not.toThrow(/secret-token/);
  });
});

describe("closing", () => {
  test("sends what is in the queue", async () => {
    const { close, reports } = startExport(3, { scheduledDelayMillis: 60_000 });
    await close(5_000);
    expect(sink.spans).toHaveLength(3);
    expect(reports).toEqual({ exported: 3, dropped: 0, failures: [] });
  });

  test("ends in time when the collector does not respond", async () => {
    sink.respond = () => {};
    const { close, reports } = startExport(10, { scheduledDelayMillis: 60_000 });
    // A request to the collector may take ten seconds, which is longer than the test may take.
    await close(200);
    const failures = ["the process ends before the collector has accepted them"];
    expect(reports).toEqual({ exported: 0, dropped: 10, failures });
  });
});
