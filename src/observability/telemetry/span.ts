import { newSpanId } from "./random-ids.ts";

/** The numbers of `opentelemetry.proto.trace.v1.Span.SpanKind`. */
export const spanKinds = { internal: 1, server: 2, client: 3 } as const;

/** The ids of a span. */
export interface SpanContext {
  /** 32 hex digits. */
  readonly traceId: string;
  /** 16 hex digits. */
  readonly spanId: string;
  /** The `tracestate` of the trace, which all of its spans have; may be empty. */
  readonly traceState: string;
}

/** An attribute of a span or of the process. Numbers are integers. */
export type Attribute = readonly [name: string, value: string | number];

/** Work that takes time, in a trace that is sampled. Times are on the clock of performance.now(), in milliseconds. */
export interface Span extends SpanContext {
  /** The id of the parent span; undefined for the first span of a trace. */
  readonly parentId: string | undefined;
  /** Whether the parent is a span of another process. */
  readonly hasRemoteParent: boolean;
  name: string;
  readonly kind: number;
  readonly startedAt: number;
  readonly attributes: Attribute[];
  readonly links: SpanContext[];
  droppedLinks: number;
  /** Whether the work has failed. */
  hasFailed: boolean;
  /** Called when the work has ended. */
  readonly ended: (span: Span, endedAt: number) => void;
}

/** The most links of a span: the default of OpenTelemetry. */
const mostLinks = 128;

/** Begins a span within another one. */
export function startChild(parent: Span, name: string, kind: number, startedAt: number): Span {
  return {
    traceId: parent.traceId,
    spanId: newSpanId(),
    traceState: parent.traceState,
    parentId: parent.spanId,
    hasRemoteParent: false,
    name,
    kind,
    startedAt,
    attributes: [],
    links: [],
    droppedLinks: 0,
    hasFailed: false,
    ended: parent.ended,
  };
}

/** Adds a link to another span, which can be of another trace. */
export function addLink(span: Span, other: SpanContext): void {
  if (span.links.length < mostLinks) span.links.push(other);
  else span.droppedLinks += 1;
}

/** Ends a span, so that it can be exported. */
export function endSpan(span: Span, endedAt: number): void {
  span.ended(span, endedAt);
}
