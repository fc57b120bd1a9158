import type { Span } from "../common/span.ts";

export type HeaderValue = string | readonly string[] | undefined;

/** A valid header. A later version than 00 may append fields to its 55 characters. Ids of zeros are invalid. */
const form =
  /^(?!ff|00.{54})[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:-|$)/s;

/** Returns whether the caller records its span; undefined when the header is absent or invalid. It copies nothing. */
export function sampledByParent(header: HeaderValue): boolean | undefined {
  if (typeof header !== "string" || !form.test(header)) return undefined;
  const lastDigit = header.charCodeAt(54);
  // The codes of odd decimal digits are odd, but those of odd hex digits from b to f are even.
  return (lastDigit & 1) === (lastDigit < 0x3a ? 1 : 0);
}

/** Parses a `traceparent` header (https://www.w3.org/TR/trace-context/). Undefined if it is absent or invalid. */
export function parseTraceparent(header: HeaderValue) {
  if (typeof header !== "string" || sampledByParent(header) === undefined) return undefined;
  return { traceId: header.slice(3, 35), spanId: header.slice(36, 52) };
}

/** Returns the trace id of a request for its log lines: that of its span, or that of its client if it is not sampled. */
export function traceIdOf(span: Span | undefined, traceparent: HeaderValue): string | undefined {
  return span ? span.context.traceId : parseTraceparent(traceparent)?.traceId;
}
