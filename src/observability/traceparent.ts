import type { Span } from "../common/span.ts";

export type HeaderValue = string | readonly string[] | undefined;

interface ParentContext {
  /** 32 lower-case hex digits. */
  readonly traceId: string;
  /** The id of the caller's span: 16 lower-case hex digits. */
  readonly spanId: string;
}

/** The length of a header of version 00, the only version so far. */
const lengthOfVersion0 = 55;

const traceparentPattern = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}(?:-|$)/;
const noTraceId = "0".repeat(32);
const noSpanId = "0".repeat(16);

/** Returns whether the caller records its span; undefined when the header is absent or invalid. It copies nothing. */
export function sampledByParent(header: HeaderValue): boolean | undefined {
  if (typeof header !== "string" || !traceparentPattern.test(header)) return undefined;
  // A later version may append fields.
  if (header.length !== lengthOfVersion0 && header.startsWith("00")) return undefined;
  if (header.startsWith("ff") || header.startsWith(noTraceId, 3)) return undefined;
  if (header.startsWith(noSpanId, 36)) return undefined;
  const lastDigit = header.charCodeAt(54);
  // The codes of odd decimal digits are odd, but those of odd hex digits from b to f are even.
  return (lastDigit & 1) === (lastDigit < 0x3a ? 1 : 0);
}

/** Parses a `traceparent` header (https://www.w3.org/TR/trace-context/). Undefined if it is absent or invalid. */
export function parseTraceparent(header: HeaderValue): ParentContext | undefined {
  if (typeof header !== "string" || sampledByParent(header) === undefined) return undefined;
  return { traceId: header.slice(3, 35), spanId: header.slice(36, 52) };
}

/** Returns the trace id of a request for its log lines: that of its span, or that of its client if it is not sampled. */
export function traceIdOf(span: Span | undefined, traceparent: HeaderValue): string | undefined {
  return span ? span.context.traceId : parseTraceparent(traceparent)?.traceId;
}
