import { BinaryReader, BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import type { Attribute, Span, SpanContext } from "./span.ts";

/*
 * Messages of OTLP in Protobuf. Field numbers and meanings are those of
 * https://github.com/open-telemetry/opentelemetry-proto, whose messages are stable. A test compares them with the
 * serializer of OpenTelemetry.
 */

const { LengthDelimited, Bit64, Bit32, Varint } = WireType;

/** Flags of a span and of a link: sampled, and that it is known whether the parent, or the linked span, is remote. */
const sampledFlags = 0x101;
const remoteFlag = 0x200;

/** `STATUS_CODE_ERROR`. */
const failed = 2;

/** Creates a `Span`. @param epochMs the time at which performance.now() was 0, in milliseconds since the epoch */
export function encodeSpan(span: Span, endedAt: number, epochMs: number): Uint8Array {
  const writer = new BinaryWriter();
  writeContext(writer, span);
  if (span.parentId) writer.tag(4, LengthDelimited).bytes(Buffer.from(span.parentId, "hex"));
  writer.tag(5, LengthDelimited).string(span.name);
  writer.tag(6, Varint).uint32(span.kind);
  writer.tag(7, Bit64).fixed64(nanoseconds(epochMs + span.startedAt));
  writer.tag(8, Bit64).fixed64(nanoseconds(epochMs + endedAt));
  for (const attribute of span.attributes) writeAttribute(writer, 9, attribute);
  for (const link of span.links) {
    writer.tag(13, LengthDelimited).fork();
    writeContext(writer, link);
    writer.tag(6, Bit32).fixed32(sampledFlags).join();
  }
  if (span.droppedLinks > 0) writer.tag(14, Varint).uint32(span.droppedLinks);
  if (span.hasFailed) writer.tag(15, LengthDelimited).fork().tag(3, Varint).uint32(failed).join();
  writer.tag(16, Bit32).fixed32(span.hasRemoteParent ? sampledFlags | remoteFlag : sampledFlags);
  return writer.finish();
}

/** Creates a `Resource`, which describes the process. */
export function encodeResource(attributes: readonly Attribute[]): Uint8Array {
  const writer = new BinaryWriter();
  for (const attribute of attributes) writeAttribute(writer, 1, attribute);
  return writer.finish();
}

/** Creates an `ExportTraceServiceRequest`. @param scope the name of the code that has made the spans */
export function encodeRequest(
  resource: Uint8Array,
  scope: string,
  spans: readonly Uint8Array[],
): Uint8Array<ArrayBuffer> {
  const writer = new BinaryWriter();
  writer.tag(1, LengthDelimited).fork();
  writer.tag(1, LengthDelimited).bytes(resource);
  writer.tag(2, LengthDelimited).fork();
  writer.tag(1, LengthDelimited).fork().tag(1, LengthDelimited).string(scope).join();
  for (const span of spans) writer.tag(2, LengthDelimited).bytes(span);
  return writer.join().join().finish();
}

/**
 * Reads an `ExportTraceServiceResponse`.
 *
 * @returns how many spans the collector has rejected
 * @throws Error when it is malformed
 */
export function readRejectedSpans(response: Uint8Array): number {
  const partialSuccess = lastField(response, 1, LengthDelimited, (reader) => reader.bytes());
  const rejected = partialSuccess && lastField(partialSuccess, 1, Varint, (each) => each.int64());
  return Number(rejected ?? 0);
}

function lastField<T>(
  message: Uint8Array,
  number: number,
  type: WireType,
  read: (reader: BinaryReader) => T,
): T | undefined {
  const reader = new BinaryReader(message);
  let found: T | undefined;
  while (reader.pos < reader.len) {
    const [field, wireType] = reader.tag();
    if (field === number && wireType === type) found = read(reader);
    else reader.skip(wireType, field);
  }
  return found;
}

/** The fields that a `Span` and a `Span.Link` begin with. */
function writeContext(writer: BinaryWriter, { traceId, spanId, traceState }: SpanContext): void {
  writer.tag(1, LengthDelimited).bytes(Buffer.from(traceId, "hex"));
  writer.tag(2, LengthDelimited).bytes(Buffer.from(spanId, "hex"));
  if (traceState) writer.tag(3, LengthDelimited).string(traceState);
}

/** A `KeyValue` with a `string_value` or an `int_value`. */
function writeAttribute(writer: BinaryWriter, field: number, [name, value]: Attribute): void {
  writer.tag(field, LengthDelimited).fork().tag(1, LengthDelimited).string(name);
  writer.tag(2, LengthDelimited).fork();
  if (typeof value === "string") writer.tag(1, LengthDelimited).string(value);
  else writer.tag(3, Varint).int64(value);
  writer.join().join();
}

/** A double has milliseconds since the epoch to a quarter of a microsecond, which is enough, but not nanoseconds. */
function nanoseconds(epochMs: number): bigint {
  const wholeMs = Math.floor(epochMs);
  return BigInt(wholeMs) * 1_000_000n + BigInt(Math.round((epochMs - wholeMs) * 1_000_000));
}

/** The largest difference between the two clocks that is not corrected, in milliseconds. */
const toleranceMs = 5;

let knownEpochMs = performance.timeOrigin;

/**
 * Returns the time at which performance.now() was 0, in milliseconds since the epoch. It follows the system clock,
 * which is corrected while the process runs. Date.now() has whole milliseconds only, so small differences are ignored.
 */
export function epochOfClock(): number {
  const measured = Date.now() - performance.now();
  if (Math.abs(measured - knownEpochMs) > toleranceMs) knownEpochMs = measured;
  return knownEpochMs;
}
