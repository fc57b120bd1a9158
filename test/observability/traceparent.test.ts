import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  parseTraceparent,
  sampledByParent,
  traceIdOf,
} from "../../src/observability/traceparent.ts";

const traceId = "0af7651916cd43dd8448eb211c80319c";
const spanId = "b7ad6b7169203331";

const hexDigits = (length: number) =>
  fc
    .array(fc.constantFrom(..."0123456789abcdef"), { minLength: length, maxLength: length })
    .map((digits) => digits.join(""));
const nonZero = (length: number) => hexDigits(length).filter((id) => /[^0]/.test(id));

describe("traceparent", () => {
  test("is parsed, with any flags", () => {
    const ids = [nonZero(32), nonZero(16), fc.integer({ min: 0, max: 255 })] as const;
    fc.assert(
      fc.property(...ids, (trace, span, flags) => {
        const header = `00-${trace}-${span}-${flags.toString(16).padStart(2, "0")}`;
        expect(parseTraceparent(header)).toEqual({ traceId: trace, spanId: span });
        expect(sampledByParent(header)).toBe(flags % 2 === 1);
      }),
    );
  });

  test.each([
    [`cc-${traceId}-${spanId}-01`],
    [`cc-${traceId}-${spanId}-01-what-the-future-will-be-like`],
    [`01-${traceId}-${spanId}-01-`],
  ])("of a later version is parsed as version 00: %s", (header) => {
    expect(parseTraceparent(header)).toEqual({ traceId, spanId });
    expect(sampledByParent(header)).toBe(true);
  });

  test.each([
    ["", "empty"],
    [`00-${traceId}-${spanId}`, "without flags"],
    [`00-${traceId}-${spanId}-0`, "too short"],
    [`00-${traceId}-${spanId}-01-more`, "version 00 with more fields"],
    [`00-${traceId}-${spanId}-011`, "too long"],
    [`cc-${traceId}-${spanId}-01.more`, "a later version without a dash"],
    [`ff-${traceId}-${spanId}-01`, "the forbidden version"],
    [`0-${traceId}-${spanId}-01`, "a short version"],
    [`00-${traceId.toUpperCase()}-${spanId}-01`, "upper case"],
    [`00-${traceId}-${spanId.toUpperCase()}-01`, "upper case in the span id"],
    [`00-${traceId}-${spanId}-0X`, "flags that are not hex digits"],
    [`00-${"0".repeat(32)}-${spanId}-01`, "a trace id of zeros"],
    [`00-${traceId}-${"0".repeat(16)}-01`, "a span id of zeros"],
    [`00_${traceId}_${spanId}_01`, "underscores"],
    [` 00-${traceId}-${spanId}-01`, "a space before"],
    [`00-${traceId}-${spanId}-01\n`, "a line break after"],
    [`00-${traceId}-${spanId}-01, 00-${traceId}-${spanId}-01`, "two headers"],
  ])("that is invalid is ignored: %s (%s)", (header) => {
    expect(parseTraceparent(header)).toBeUndefined();
  });

  test("is parsed only if it has the form of the W3C recommendation, whatever a character is", () => {
    const edits = fc.array(
      fc.record({
        at: fc.nat({ max: 54 }),
        text: fc.oneof(
          fc.constantFrom("0", "f", "A", "-", "", "00", "\n"),
          fc.string({ maxLength: 2 }),
        ),
      }),
      { maxLength: 2 },
    );
    const rest = fc.constantFrom("", "-", "-more", "more");
    const forms = { valid: 0, invalid: 0 };
    const check = fc.property(
      fc.constantFrom("00", "01", "fe", "ff"),
      edits,
      rest,
      (version, changes, end) => {
        const plain = `${version}-${traceId}-${spanId}-01${end}`;
        const text = changes.reduce(
          (header, { at, text: other }) => header.slice(0, at) + other + header.slice(at + 1),
          plain,
        );
        const isValid = isTraceparent(text);
        forms[isValid ? "valid" : "invalid"] += 1;
        const [, trace, span, flags = ""] = text.split("-");
        const isSampled = Number.parseInt(flags, 16) % 2 === 1;
        expect(parseTraceparent(text)).toEqual(
          isValid ? { traceId: trace, spanId: span } : undefined,
        );
        expect(sampledByParent(text)).toBe(isValid ? isSampled : undefined);
      },
    );
    fc.assert(check, { numRuns: 1_000 });
    expect(Math.min(forms.valid, forms.invalid)).toBeGreaterThan(100);
  });
});

/** The grammar of version 00, and what it says about later versions (sections 3.2.2 and 4.3). */
function isTraceparent(text: string): boolean {
  const isHex = (part: string | undefined, length: number) =>
    part?.length === length && [...part].every((digit) => "0123456789abcdef".includes(digit));
  const [version, trace = "", span = "", flags, ...others] = text.split("-");
  return (
    isHex(version, 2) &&
    version !== "ff" &&
    isHex(trace, 32) &&
    isHex(span, 16) &&
    isHex(flags, 2) &&
    trace !== "0".repeat(32) &&
    span !== "0".repeat(16) &&
    (version !== "00" || others.length === 0)
  );
}

test("several traceparent headers are ignored", () => {
  const header = `00-${traceId}-${spanId}-01`;
  expect(parseTraceparent([header])).toBeUndefined();
  expect(parseTraceparent([header, header])).toBeUndefined();
});

describe("the trace id of a request's log lines", () => {
  test("is that of its client if the request is not sampled", () => {
    expect(traceIdOf(undefined, `00-${traceId}-${spanId}-00`)).toBe(traceId);
  });

  test.each([[undefined], ["invalid"], [[`00-${traceId}-${spanId}-00`, "two"]]])(
    "is absent without a valid header: %j",
    (header) => {
      expect(traceIdOf(undefined, header)).toBeUndefined();
    },
  );
});
