import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { TracingConfig } from "../../../src/config/config.ts";
import { createSampling } from "../../../src/observability/tracing/tracing.ts";

type Name = TracingConfig["sampler"];

const sampling = (sampler: Name, ratio = 1) => createSampling({ sampler, ratio });

// Not `fc.double`, most of whose numbers are so small that none of 100 trace ids may be sampled.
const anyRatio = fc.nat(1_000).map((thousandths) => thousandths / 1_000);
const anyTraceId = fc.uint8Array({ minLength: 16, maxLength: 16 }).map((bytes) => {
  bytes[0] = (bytes[0] ?? 0) | 1;
  return Buffer.from(bytes).toString("hex");
});
const traceparent = (traceId: string, isSampled: boolean) =>
  `00-${traceId}-b7ad6b7169203331-0${isSampled ? 1 : 0}`;

describe("a request with a traceparent header", () => {
  test.each([
    "parentbased_always_on",
    "parentbased_always_off",
    "parentbased_traceidratio",
  ] as const)("is sampled by %s if its caller is, at any ratio", (name) => {
    fc.assert(
      fc.property(anyTraceId, fc.boolean(), anyRatio, (traceId, isSampled, ratio) => {
        expect(sampling(name, ratio)(traceparent(traceId, isSampled))).toBe(isSampled);
      }),
    );
  });

  test.each([
    ["always_on", true],
    ["always_off", false],
  ] as const)("is sampled by %s: %s, whatever its caller does", (name, expected) => {
    fc.assert(
      fc.property(anyTraceId, fc.boolean(), (traceId, isSampled) => {
        expect(sampling(name, 0.5)(traceparent(traceId, isSampled))).toBe(expected);
      }),
    );
  });

  test("is sampled by traceidratio by its trace id alone, and at every higher ratio too", () => {
    const decisions = new Set<boolean>();
    fc.assert(
      fc.property(anyTraceId, anyRatio, anyRatio, (traceId, a, b) => {
        const isSampled = (ratio: number, byParent: boolean) =>
          sampling("traceidratio", ratio)(traceparent(traceId, byParent));
        const low = isSampled(Math.min(a, b), true);
        decisions.add(low);
        expect(isSampled(Math.min(a, b), false)).toBe(low);
        if (low) expect(isSampled(Math.max(a, b), true)).toBe(true);
      }),
    );
    expect(decisions).toEqual(new Set([true, false]));
  });
});

describe("a request without a traceparent header", () => {
  test.each([
    ["always_on", 0, 1],
    ["always_off", 1, 0],
    ["parentbased_always_on", 0, 1],
    ["parentbased_always_off", 1, 0],
    ["traceidratio", 0, 0],
    ["traceidratio", 1, 1],
    ["parentbased_traceidratio", 0, 0],
    ["parentbased_traceidratio", 1, 1],
  ] as const)("is sampled by %s, with the ratio %d, in the share %d", (name, ratio, share) => {
    const isSampled = sampling(name, ratio);
    const sampled = Array.from({ length: 100 }, () => isSampled(undefined)).filter(Boolean);
    expect(sampled).toHaveLength(100 * share);
  });

  test("is sampled in the configured share of requests", () => {
    const isSampled = sampling("parentbased_traceidratio", 0.25);
    const count = Array.from({ length: 40_000 }, () => isSampled("invalid")).filter(Boolean).length;
    // The standard deviation is 87. More than 8 of them happen once in 10^15 runs.
    expect(count).toBeGreaterThan(10_000 - 700);
    expect(count).toBeLessThan(10_000 + 700);
  });
});
