import type { Attributes, SpanContext } from "@opentelemetry/api";

/** A span of a sampled request; others have none. Times are on the clock of performance.now(), in milliseconds. */
export interface Span {
  readonly context: SpanContext;
  /** Begins a span within this one. @param kind `client` for a call of another server */
  startChild(name: string, kind: "client" | "internal", startedAt: number): Span;
  rename(name: string): void;
  setAttributes(attributes: Attributes): void;
  /** Adds a link to another span, which can be of another trace. */
  addLink(other: Span): void;
  /** Reports that the work has failed. @param type the attribute `error.type` */
  fail(type: string): void;
  end(endedAt: number): void;
}
