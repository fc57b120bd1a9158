/**
 * Compares the cost of a request's span in the service's tracer and in the SDK of OpenTelemetry: `node bench/tracing.ts`.
 * A span has a remote parent, seven attributes and a child with two, and becomes the bytes of OTLP. Both run in turns, in
 * the same process, and the median of the rounds counts.
 */
import { ROOT_CONTEXT, SpanKind, trace } from "@opentelemetry/api";
import { W3CTraceContextPropagator } from "@opentelemetry/core";
import { ProtobufTraceSerializer } from "@opentelemetry/otlp-transformer";
import {
  AlwaysOnSampler,
  ParentBasedSampler,
  type ReadableSpan,
  SimpleSpanProcessor,
  type SpanExporter,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import { encodeSpan, epochOfClock } from "../src/observability/telemetry/otlp-traces.ts";
import { samplerOf } from "../src/observability/telemetry/sampler.ts";
import { endSpan, spanKinds, startChild } from "../src/observability/telemetry/span.ts";
import { createTracer } from "../src/observability/telemetry/tracer.ts";
import { median } from "./median.ts";

const requests = 50_000;
const rounds = 11;
/** Spans that the SDK serializes at once, as its batch processor does. */
const batch = 512;

const traceparentOf = (flags: string) =>
  `00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-${flags}`;
const attributes: readonly (readonly [string, string | number])[] = [
  ["http.request.method", "GET"],
  ["network.protocol.version", "1.1"],
  ["inventory.admission.verdict", "admitted"],
  ["http.route", "/v1/inventory"],
  ["http.response.status_code", 200],
  ["server.port", 8080],
  ["url.scheme", "http"],
];
const ofChild: typeof attributes = [
  ["db.system.name", "redis"],
  ["db.operation.name", "EVALSHA"],
];

/** A tracer. `request` traces a request, and returns how many bytes it has encoded in all. */
interface Tracer {
  readonly label: string;
  request(headers: Readonly<Record<string, string>>): number;
}

function ownTracer(): Tracer {
  let bytes = 0;
  const start = createTracer(samplerOf("parentbased_always_on", 1), (span, endedAt) => {
    bytes += encodeSpan(span, endedAt, epochOfClock()).length;
  });
  return {
    label: "own tracer",
    request(headers) {
      const span = start(headers, performance.now());
      if (!span) return bytes;
      span.attributes.push(...attributes);
      span.name = "GET /v1/inventory";
      const child = startChild(span, "EVALSHA", spanKinds.client, performance.now());
      child.attributes.push(...ofChild);
      endSpan(child, performance.now());
      endSpan(span, performance.now());
      return bytes;
    },
  };
}

function openTelemetry(): Tracer {
  let bytes = 0;
  let ended: ReadableSpan[] = [];
  const exporter: SpanExporter = {
    export(spans, done) {
      ended.push(...spans);
      if (ended.length >= batch) {
        bytes += ProtobufTraceSerializer.serializeRequest(ended)?.length ?? 0;
        ended = [];
      }
      done({ code: 0 });
    },
    shutdown: async () => {},
  };
  const provider = new TracerProvider({
    sampler: new ParentBasedSampler({ root: new AlwaysOnSampler() }),
    spanProcessors: [new SimpleSpanProcessor({ exporter })],
  });
  const tracer = provider.getTracer("bench");
  const propagator = new W3CTraceContextPropagator();
  const getter = {
    get: (carrier: Readonly<Record<string, string>>, key: string) => carrier[key],
    keys: Object.keys,
  };
  const [all, child] = [Object.fromEntries(attributes), Object.fromEntries(ofChild)];
  return {
    label: "@opentelemetry/sdk-trace",
    request(headers) {
      const parent = propagator.extract(ROOT_CONTEXT, headers, getter);
      const kind = SpanKind.SERVER;
      const span = tracer.startSpan("GET", { kind, attributes: all }, parent);
      if (!span.isRecording()) return bytes;
      span.updateName("GET /v1/inventory");
      const context = trace.setSpan(parent, span);
      tracer.startSpan("EVALSHA", { kind: SpanKind.CLIENT, attributes: child }, context).end();
      span.end();
      return bytes;
    },
  };
}

function nanoseconds({ request }: Tracer, flags: string): number {
  const headers = { traceparent: traceparentOf(flags) };
  const startedAt = performance.now();
  const before = request(headers);
  for (let made = 1; made < requests; made += 1) request(headers);
  const took = performance.now() - startedAt;
  const isEncoded = request(headers) > before;
  if (isEncoded !== (flags === "01")) throw new Error("not what the parent has decided");
  return (took * 1e6) / requests;
}

const tracers = [ownTracer(), openTelemetry()];
const cases = ["01", "00"].flatMap((flags) => tracers.map((tracer) => ({ tracer, flags })));
const costs = cases.map((): number[] => []);
for (let round = 0; round < rounds; round += 1) {
  for (const [index, { tracer, flags }] of cases.entries()) {
    const cost = nanoseconds(tracer, flags);
    // The first round also compiles the code.
    if (round > 0) costs[index]?.push(cost);
  }
}
process.stdout.write(
  `| Node ${process.version} | Sampled request | Request that is not sampled |\n| --- | --- | --- |\n`,
);
for (const [index, { label }] of tracers.entries()) {
  const [sampled, unsampled] = [index, index + tracers.length].map((at) =>
    Math.round(median(costs[at] ?? [])),
  );
  process.stdout.write(`| ${label} | ${sampled} ns | ${unsampled} ns |\n`);
}
