import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { encodeResource, encodeSpan } from "../../../src/observability/telemetry/otlp-traces.ts";
import { startChild } from "../../../src/observability/telemetry/span.ts";
import {
  createSpanExporter,
  type SpanExporter,
  type SpanExporterOptions,
} from "../../../src/observability/telemetry/span-exporter.ts";
import { createTracer } from "../../../src/observability/telemetry/tracer.ts";
import { useOtlpSink } from "../../support/otlp-sink.ts";

const sink = useOtlpSink();

const url = () => `${sink.environment.OTEL_EXPORTER_OTLP_ENDPOINT}/v1/traces`;

/** What an exporter has reported. */
interface Reports {
  exported: number;
  dropped: number;
  readonly failures: string[];
}

type Options = Partial<Omit<SpanExporterOptions, "collector">> & {
  readonly collector?: Partial<SpanExporterOptions["collector"]>;
};

function exporterOf({ collector, ...options }: Options = {}): [SpanExporter, Reports] {
  const reports: Reports = { exported: 0, dropped: 0, failures: [] };
  const exporter = createSpanExporter({
    collector: {
      url: url(),
      headers: {},
      compression: "none",
      requestTimeoutMs: 2_000,
      ...collector,
    },
    resource: encodeResource([["service.name", "test"]]),
    scope: "test",
    maxQueue: 10,
    maxBatch: 5,
    delayMs: 1,
    timeoutMs: 5_000,
    onExported(spans) {
      reports.exported += spans;
    },
    onDropped(spans) {
      reports.dropped += spans;
    },
    onFailure: (reason) => reports.failures.push(reason),
    ...options,
  });
  onTestFinished(() => exporter.close(0));
  return [exporter, reports];
}

const root = createTracer({ followsParent: false, ratio: 1 }, () => {})({}, 0);

function encoded(name: string): Uint8Array {
  if (!root) throw new Error("the request is not sampled");
  return encodeSpan(startChild(root, name, 1, 0), 1, 0);
}

const names = (count: number) => Array.from({ length: count }, (_, at) => `${at}`);

const until = (condition: () => void) => vi.waitFor(condition, { timeout: 5_000, interval: 5 });

const respondWith =
  (status: number, headers: Record<string, string> = {}, body: Uint8Array | string = "") =>
  (response: ServerResponse) =>
    void response.writeHead(status, headers).end(body);

describe("spans", () => {
  it("are sent in order, in batches, as Protobuf, with the headers of the settings", async () => {
    const headers = { authorization: "Bearer collector-token" };
    const [exporter, reports] = exporterOf({ collector: { headers } });
    for (const name of names(8)) exporter.add(() => encoded(name));
    const spans = await sink.until((all) => all.length === 8);
    expect(spans.map(({ name }) => name)).toEqual(names(8));
    expect(sink.requests).toHaveLength(2);
    expect(sink.requests[0]).toMatchObject({
      url: "/v1/traces",
      headers: { "content-type": "application/x-protobuf", ...headers },
    });
    expect(sink.resource).toEqual({ "service.name": "test" });
    await until(() => expect(reports).toEqual({ exported: 8, dropped: 0, failures: [] }));
  });

  it("can be compressed", async () => {
    const [exporter] = exporterOf({ collector: { compression: "gzip" } });
    exporter.add(() => encoded("small"));
    const [span] = await sink.until((all) => all.length === 1);
    expect(span?.name).toBe("small");
    expect(sink.requests[0]?.headers["content-encoding"]).toBe("gzip");
  });

  it("are dropped and counted when the queue is full", async () => {
    sink.respond = () => {};
    const [exporter, reports] = exporterOf();
    // The first batch leaves the queue at once.
    for (const name of names(20)) exporter.add(() => encoded(name));
    expect(reports.dropped).toBe(20 - 5 - 10);
    const encode = vi.fn<() => Uint8Array>();
    exporter.add(encode);
    expect(encode).not.toHaveBeenCalled();
    expect(reports.dropped).toBe(6);
  });

  it("that the collector rejects are counted", async () => {
    sink.respond = respondWith(200, {}, Buffer.from("0a020802", "hex"));
    const [exporter, reports] = exporterOf();
    for (const name of names(5)) exporter.add(() => encoded(name));
    await until(() => expect(reports).toMatchObject({ exported: 3, dropped: 2 }));
    expect(reports.failures).toEqual(["the collector has rejected spans"]);
  });

  it.each([
    ["JSON", "{}"],
    ["a truncated message", "\n\u00ff"],
    ["more than 64 KiB", "a".repeat(70_000)],
  ])("count as accepted when the response has status 200 and %s", async (_name, body) => {
    sink.respond = respondWith(200, {}, body);
    const [exporter, reports] = exporterOf();
    exporter.add(() => encoded("one"));
    await until(() => expect(reports).toEqual({ exported: 1, dropped: 0, failures: [] }));
  });
});

describe("a batch", () => {
  it.each([429, 502, 503, 504])("is sent again after status %d", async (status) => {
    sink.respond = (response) => {
      sink.respond = undefined;
      respondWith(status)(response);
    };
    const [exporter, reports] = exporterOf();
    exporter.add(() => encoded("again"));
    const [span] = await sink.until((all) => all.length === 1);
    expect(span?.name).toBe("again");
    await until(() => expect(reports).toEqual({ exported: 1, dropped: 0, failures: [] }));
    expect(sink.requests).toHaveLength(2);
  });

  it.each([400, 401, 404, 413, 500, 307])("is dropped after status %d", async (status) => {
    sink.respond = respondWith(status, { location: url() });
    const [exporter, reports] = exporterOf();
    exporter.add(() => encoded("one"));
    const failures = [`the collector has responded with status ${status}`];
    await until(() => expect(reports).toEqual({ exported: 0, dropped: 1, failures }));
    expect(sink.requests).toHaveLength(1);
  });

  it("waits for as long as Retry-After says", async () => {
    const times: number[] = [];
    sink.respond = (response) => {
      times.push(performance.now());
      if (times.length === 2) respondWith(200)(response);
      else respondWith(503, { "retry-after": "2" })(response);
    };
    const [exporter, reports] = exporterOf();
    exporter.add(() => encoded("later"));
    await until(() => expect(reports.exported).toBe(1));
    const [first = 0, second = 0] = times;
    expect(second - first).toBeGreaterThanOrEqual(2_000);
  });

  it("is dropped when Retry-After is later than its time; no other is sent before", async () => {
    sink.respond = respondWith(429, { "retry-after": "60" });
    const [exporter, reports] = exporterOf();
    for (const name of names(10)) exporter.add(() => encoded(name));
    await until(() => expect(sink.requests).toHaveLength(1));
    sink.respond = undefined;
    await exporter.close(1_000);
    // Only the close has ended the pause.
    expect(reports).toMatchObject({ exported: 5, dropped: 5 });
  });

  it("is dropped when the collector does not respond in time", async () => {
    sink.respond = () => {};
    const [exporter, reports] = exporterOf({
      timeoutMs: 300,
      collector: { requestTimeoutMs: 100 },
    });
    exporter.add(() => encoded("one"));
    const failures = ["the collector has not responded in time"];
    await until(() => expect(reports).toEqual({ exported: 0, dropped: 1, failures }));
  });

  it("is dropped when nothing listens, and the reason names no URL", async () => {
    const closed = createServer().listen(0, "127.0.0.1");
    await once(closed, "listening");
    const { port } = closed.address() as AddressInfo;
    await promisify(closed.close.bind(closed))();
    const [exporter, reports] = exporterOf({
      timeoutMs: 100,
      collector: { url: `http://127.0.0.1:${port}/secret-token` },
    });
    exporter.add(() => encoded("one"));
    const failures = ["the collector cannot be reached: ECONNREFUSED"];
    await until(() => expect(reports).toEqual({ exported: 0, dropped: 1, failures }));
  });
});

describe("failures", () => {
  it("are reported once a minute", async () => {
    sink.respond = respondWith(400);
    const [exporter, reports] = exporterOf();
    for (const lost of [5, 10, 15]) {
      for (const name of names(5)) exporter.add(() => encoded(name));
      await until(() => expect(reports.dropped).toBe(lost));
    }
    expect(reports.failures).toHaveLength(1);
  });
});

describe("closing", () => {
  it("sends what is in the queue", async () => {
    const [exporter, reports] = exporterOf({ delayMs: 60_000 });
    for (const name of names(3)) exporter.add(() => encoded(name));
    await exporter.close(5_000);
    expect(sink.spans).toHaveLength(3);
    expect(reports.exported).toBe(3);
    exporter.add(() => encoded("late"));
    expect(reports.dropped).toBe(1);
  });

  it("does not send a batch again and again to a collector that is not available", async () => {
    sink.respond = respondWith(503);
    const [exporter, reports] = exporterOf({ delayMs: 60_000, timeoutMs: 60_000 });
    exporter.add(() => encoded("one"));
    await exporter.close(500);
    expect(sink.requests).toHaveLength(1);
    expect(reports.dropped).toBe(1);
  });

  it("ends in time when the collector does not respond", async () => {
    sink.respond = () => {};
    const [exporter, reports] = exporterOf({
      delayMs: 60_000,
      collector: { requestTimeoutMs: 60_000 },
    });
    for (const name of names(10)) exporter.add(() => encoded(name));
    // A request to the collector would wait longer than the test may take.
    await exporter.close(200);
    expect(reports).toMatchObject({ exported: 0, dropped: 10 });
  });
});
