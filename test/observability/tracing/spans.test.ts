import { SpanStatusCode } from "@opentelemetry/api";
import {
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import { describe, expect, test } from "vitest";
import {
  type Operation,
  otherOperation,
  RequestRecord,
  settle,
} from "../../../packages/connect-gateway/src/call/request-record.ts";
import type { Exchange } from "../../../packages/connect-gateway/src/http/exchange/exchange.ts";
import { describeRequest } from "../../../src/observability/tracing/request-span.ts";
import { startRequestSpan } from "../../../src/observability/tracing/sdk-span.ts";

const exporter = new InMemorySpanExporter();
const spanProcessors = [new SimpleSpanProcessor({ exporter })];
const tracer = new TracerProvider({ spanProcessors }).getTracer("test");

function ended(): ReadableSpan[] {
  const spans = exporter.getFinishedSpans();
  exporter.reset();
  return spans;
}

test("spans of a request have times on one clock, which is that of the system", () => {
  const startedAt = performance.now();
  const request = startRequestSpan(tracer, undefined, startedAt);
  const child = request.startChild("child", "internal", startedAt);
  child.end(startedAt + 0.25);
  request.end(startedAt + 0.25);
  const [inner, outer] = ended();
  // The SDK would convert the times of each span by another difference of the clocks.
  expect(inner?.startTime).toEqual(outer?.startTime);
  expect(inner?.endTime).toEqual(outer?.endTime);
  expect(outer?.duration[0]).toBe(0);
  // A double has a time since the epoch to a quarter of a microsecond.
  expect(Math.abs((outer?.duration[1] ?? 0) - 250_000)).toBeLessThan(1_000);
  const [seconds = 0, nanoseconds = 0] = outer?.startTime ?? [];
  expect(Math.abs(seconds * 1_000 + nanoseconds / 1e6 - Date.now())).toBeLessThan(1_000);
});

describe("a request over HTTP", () => {
  const list: Operation = { route: "/v1/inventory" };

  test.each<[method: string, operation: Operation, status: number, name: string, error?: string]>([
    ["GET", list, 200, "GET /v1/inventory"],
    ["GET", list, 429, "GET /v1/inventory"],
    ["GET", list, 500, "GET /v1/inventory", "500"],
    ["GET", list, 503, "GET /v1/inventory", "503"],
    ["GET", otherOperation, 404, "GET"],
    ["BREW", otherOperation, 501, "HTTP", "501"],
  ])("%s %j with status %d has the span %s", (method, operation, status, name, error) => {
    const record = new RequestRecord(0);
    record.operation = operation;
    settle(record, "http", status, undefined);
    const span = startRequestSpan(tracer, undefined, performance.now());
    describeRequest(span, { record, method, httpVersion: "2.0" } as Exchange);
    span.end(performance.now());
    const [found] = ended();
    expect(found).toMatchObject({
      name,
      status: { code: error === undefined ? SpanStatusCode.UNSET : SpanStatusCode.ERROR },
      attributes: { "http.response.status_code": status, "network.protocol.version": "2" },
    });
    expect(found?.attributes["error.type"]).toBe(error);
    expect(found?.attributes["http.route"]).toBe(operation === list ? list.route : undefined);
  });
});
