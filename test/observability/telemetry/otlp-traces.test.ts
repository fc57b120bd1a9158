import { ProtobufTraceSerializer } from "@opentelemetry/otlp-transformer";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  encodeRequest,
  encodeResource,
  encodeSpan,
  readRejectedSpans,
} from "../../../src/observability/telemetry/otlp-traces.ts";
import type { Attribute, Span, SpanContext } from "../../../src/observability/telemetry/span.ts";
import { decodeTraces } from "../../support/otlp-decoder.ts";

type ReadableSpan = Parameters<typeof ProtobufTraceSerializer.serializeRequest>[0][number];
type ApiSpanContext = ReturnType<ReadableSpan["spanContext"]>;

const hexDigits = (bytes: number) =>
  fc
    .uint8Array({ minLength: bytes, maxLength: bytes })
    .map((id) => Buffer.from(id).toString("hex"));
const context = {
  traceId: hexDigits(16),
  spanId: hexDigits(8),
  traceState: fc.constantFrom("", "a=1", "congo=t61rcWkgMzE,rojo=1"),
};
const attribute = fc.tuple(
  fc.string({ minLength: 1 }),
  fc.oneof(fc.string({ unit: "grapheme" }), fc.maxSafeInteger()),
) satisfies fc.Arbitrary<Attribute>;
const attributes = fc.uniqueArray(attribute, { selector: ([name]) => name, maxLength: 8 });
const anySpan: fc.Arbitrary<Span> = fc.record({
  ...context,
  parentId: fc.option(hexDigits(8), { nil: undefined }),
  hasRemoteParent: fc.boolean(),
  name: fc.string({ unit: "grapheme" }),
  kind: fc.constantFrom(1, 2, 3),
  // A quarter of a microsecond is exact in both forms.
  startedAt: fc.integer({ min: 0, max: 2 ** 40 }).map((value) => value / 4_000),
  attributes,
  links: fc.array(fc.record(context), { maxLength: 5 }),
  droppedLinks: fc.nat(300),
  hasFailed: fc.boolean(),
  ended: fc.constant(() => {}),
});
const span = anySpan.map((each) => ({
  ...each,
  hasRemoteParent: each.hasRemoteParent && each.parentId !== undefined,
}));

const epochMs = 1_795_000_000_000;

/** Returns a span as the serializer of OpenTelemetry takes it. */
function readable(each: Span, endedAt: number, resource: readonly Attribute[]): ReadableSpan {
  const parent = { ...each, spanId: each.parentId ?? "" };
  return {
    name: each.name,
    // Its kinds begin with 0.
    kind: each.kind - 1,
    spanContext: () => apiContext(each),
    ...(each.parentId !== undefined && {
      parentSpanContext: { ...apiContext(parent), isRemote: each.hasRemoteParent },
    }),
    startTime: hrTime(epochMs + each.startedAt),
    endTime: hrTime(epochMs + endedAt),
    status: { code: each.hasFailed ? 2 : 0 },
    attributes: Object.fromEntries(each.attributes),
    links: each.links.map((link) => ({ context: apiContext(link) })),
    events: [],
    duration: [0, 0],
    ended: true,
    resource: {
      attributes: Object.fromEntries(resource),
      merge: (other) => other,
      getRawAttributes: () => [],
    } as ReadableSpan["resource"],
    instrumentationScope: { name: "scope" },
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: each.droppedLinks,
  };
}

function apiContext({ traceId, spanId, traceState }: SpanContext): ApiSpanContext {
  const state = { serialize: () => traceState } as NonNullable<ApiSpanContext["traceState"]>;
  return { traceId, spanId, traceFlags: 1, ...(traceState && { traceState: state }) };
}

function hrTime(ms: number): ReadableSpan["startTime"] {
  const seconds = Math.floor(ms / 1_000);
  return [seconds, Math.round((ms - seconds * 1_000) * 1_000_000)];
}

describe("a request to a collector", () => {
  it("means the same as that of OpenTelemetry's serializer", () => {
    const inputs = [fc.array(span, { minLength: 1, maxLength: 4 }), attributes, fc.nat()] as const;
    fc.assert(
      fc.property(...inputs, (spans, resource, ms) => {
        const endedAt = (each: Span) => each.startedAt + ms / 4;
        const encoded = spans.map((each) => encodeSpan(each, endedAt(each), epochMs));
        const ours = encodeRequest(encodeResource(resource), "scope", encoded);
        const theirs = ProtobufTraceSerializer.serializeRequest(
          spans.map((each) => readable(each, endedAt(each), resource)),
        );
        const expected = decodeTraces(theirs ?? new Uint8Array());
        expect(decodeTraces(ours)).toEqual(expected);
      }),
    );
  });
});

describe("the response of a collector", () => {
  it.each([
    ["", 0],
    ["0a00", 0],
    ["0a020803", 3],
    ["0a0508071201ab", 7],
    ["0a0c1207746f6f206269672108ac02", undefined],
    ["1205ffffffffff0a020802", 2],
  ])("%s has %s rejected spans", (hex, expected) => {
    const read = () => readRejectedSpans(Buffer.from(hex, "hex"));
    if (expected === undefined) expect(read).toThrow();
    else expect(read()).toBe(expected);
  });
});
