import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { newTraceId } from "../../../src/observability/telemetry/random-ids.ts";
import {
  fractionOf,
  samplerNames,
  samplerOf,
} from "../../../src/observability/telemetry/sampler.ts";
import { createTracer } from "../../../src/observability/telemetry/tracer.ts";

type Name = (typeof samplerNames)[number];

const start = (name: Name, ratio = 1) => createTracer(samplerOf(name, ratio), () => {});

const anyRatio = fc.double({ min: 0, max: 1, noNaN: true });
const anyTraceId = fc.uint8Array({ minLength: 16, maxLength: 16 }).map((bytes) => {
  bytes[0] = (bytes[0] ?? 0) | 1;
  return Buffer.from(bytes).toString("hex");
});
const headers = (traceId: string, isSampled: boolean) => ({
  traceparent: `00-${traceId}-b7ad6b7169203331-0${isSampled ? 1 : 0}`,
});

describe("a request with a traceparent header", () => {
  const parentBased = samplerNames.filter((name) => name.startsWith("parentbased_"));

  it.each(parentBased)("is sampled by %s if its caller is, at any ratio", (name) => {
    fc.assert(
      fc.property(anyTraceId, fc.boolean(), anyRatio, (traceId, isSampled, ratio) => {
        const span = start(name, ratio)(headers(traceId, isSampled), 0);
        expect(span?.traceId).toBe(isSampled ? traceId : undefined);
      }),
    );
  });

  it.each([
    ["always_on", true],
    ["always_off", false],
  ] as const)("is sampled by %s: %s, whatever its caller does", (name, expected) => {
    fc.assert(
      fc.property(anyTraceId, fc.boolean(), (traceId, isSampled) => {
        expect(start(name)(headers(traceId, isSampled), 0) !== undefined).toBe(expected);
      }),
    );
  });

  it("is sampled by traceidratio by its trace id alone, and at every higher ratio too", () => {
    fc.assert(
      fc.property(anyTraceId, anyRatio, anyRatio, fc.boolean(), (traceId, a, b, isSampled) => {
        const [low, high] = [Math.min(a, b), Math.max(a, b)];
        const isSampledAt = (ratio: number) =>
          start("traceidratio", ratio)(headers(traceId, isSampled), 0) !== undefined;
        expect(isSampledAt(low)).toBe(fractionOf(traceId) < low);
        if (isSampledAt(low)) expect(isSampledAt(high)).toBe(true);
      }),
    );
  });

  // The decisions of TraceIdRatioBased in opentelemetry-go: the second half of the id, shifted right by one bit, is
  // compared with the ratio of 2^63.
  it.each([
    ["00000000000000000000000000000000", 0],
    ["ffffffffffffffff8000000000000000", 0.5],
    ["00000000000000004000000000000000", 0.25],
    ["0000000000000000ffff000000000000", 65_535 / 65_536],
  ])("has the same number as in other SDKs: %s is %d", (traceId, expected) => {
    expect(fractionOf(traceId)).toBe(expected);
  });
});

describe("a request without a traceparent header", () => {
  it.each([
    ["always_on", 0, 1],
    ["always_off", 1, 0],
    ["parentbased_always_on", 0, 1],
    ["parentbased_always_off", 1, 0],
    ["traceidratio", 0, 0],
    ["traceidratio", 1, 1],
    ["parentbased_traceidratio", 0, 0],
    ["parentbased_traceidratio", 1, 1],
  ] as const)("is sampled by %s, with the ratio %d, in the share %d", (name, ratio, share) => {
    const sample = start(name, ratio);
    const sampled = Array.from({ length: 100 }, () => sample({}, 0)).filter(Boolean);
    expect(sampled).toHaveLength(100 * share);
  });

  it("is sampled in the configured share of requests", () => {
    const sample = start("parentbased_traceidratio", 0.25);
    const count = Array.from({ length: 40_000 }, () => sample({}, 0)).filter(Boolean).length;
    // The standard deviation is 87. More than 8 of them happen once in 10^15 runs.
    expect(count).toBeGreaterThan(10_000 - 700);
    expect(count).toBeLessThan(10_000 + 700);
  });

  it("begins a trace whose id leads other services to the same decision", () => {
    fc.assert(
      fc.property(anyRatio, (ratio) => {
        const span = start("traceidratio", ratio)({}, 0);
        if (span) expect(fractionOf(span.traceId)).toBeLessThan(ratio);
      }),
    );
  });

  it("gets ids of hex digits that are all different", () => {
    const sample = start("always_on");
    const spans = Array.from({ length: 2_000 }, () => sample({}, 0));
    expect(new Set(spans.map((span) => span?.traceId)).size).toBe(2_000);
    expect(new Set(spans.map((span) => span?.spanId)).size).toBe(2_000);
    for (const span of spans) {
      expect(span?.traceId).toMatch(/^[0-9a-f]{32}$/);
      expect(span?.spanId).toMatch(/^[0-9a-f]{16}$/);
      expect(span?.parentId).toBeUndefined();
    }
  });

  it("has its number in its trace id", () => {
    const fractions = fc.integer({ min: 0, max: 2 ** 48 - 1 }).map((number) => number / 2 ** 48);
    fc.assert(
      fc.property(fractions, (fraction) => {
        expect(fractionOf(newTraceId(fraction))).toBe(fraction);
      }),
    );
  });
});
