import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";

/** A span as a collector sees it. Ids are hex digits. */
export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly traceState: string;
  /** Empty for the first span of a trace. */
  readonly parentId: string;
  readonly name: string;
  readonly kind: number;
  /** Nanoseconds since the epoch. */
  readonly startedAt: bigint;
  readonly endedAt: bigint;
  readonly attributes: Readonly<Record<string, string | number>>;
  readonly links: readonly ReceivedLink[];
  readonly droppedLinks: number;
  /** 0 when unset, 2 for an error. */
  readonly status: number;
  readonly flags: number;
}

export interface ReceivedLink {
  readonly traceId: string;
  readonly spanId: string;
  readonly traceState: string;
  readonly flags: number;
}

type Value = Uint8Array | number | bigint;

/** The fields of a message by number, without the absent ones. */
type Fields = ReadonlyMap<number, readonly Value[]>;

/**
 * Decodes an ExportTraceServiceRequest. Field numbers are those of
 * https://github.com/open-telemetry/opentelemetry-proto/blob/main/opentelemetry/proto/trace/v1/trace.proto
 */
export function decodeTraces(message: Uint8Array) {
  const spans: ReceivedSpan[] = [];
  let resource: Record<string, string | number> = {};
  for (const resourceSpans of messages(fieldsOf(message), 1)) {
    for (const each of messages(resourceSpans, 1)) resource = attributesOf(each, 1);
    for (const scopeSpans of messages(resourceSpans, 2)) {
      spans.push(...messages(scopeSpans, 2).map(spanOf));
    }
  }
  return { resource, spans };
}

function spanOf(fields: Fields): ReceivedSpan {
  return {
    ...linkOf(fields),
    parentId: hex(fields, 4),
    name: text(fields, 5),
    kind: number(fields, 6),
    startedAt: BigInt(last(fields, 7) as bigint),
    endedAt: BigInt(last(fields, 8) as bigint),
    attributes: attributesOf(fields, 9),
    links: messages(fields, 13).map((link) => ({ ...linkOf(link), flags: number(link, 6) })),
    droppedLinks: number(fields, 14),
    status: messages(fields, 15).map((status) => number(status, 3))[0] ?? 0,
    flags: number(fields, 16),
  };
}

function linkOf(fields: Fields) {
  return { traceId: hex(fields, 1), spanId: hex(fields, 2), traceState: text(fields, 3) };
}

function attributesOf(fields: Fields, field: number): Record<string, string | number> {
  return Object.fromEntries(
    messages(fields, field).map((attribute) => {
      const [value] = messages(attribute, 2);
      const isText = value?.has(1);
      return [text(attribute, 1), value && isText ? text(value, 1) : number(value ?? new Map(), 3)];
    }),
  );
}

function fieldsOf(message: Uint8Array): Fields {
  const reader = new BinaryReader(message);
  const fields = new Map<number, Value[]>();
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag();
    fields.getOrInsertComputed(field, () => []).push(readValue(reader, type));
  }
  return fields;
}

function readValue(reader: BinaryReader, type: WireType): Value {
  switch (type) {
    case WireType.Varint:
      return Number(reader.int64());
    case WireType.Bit64:
      return BigInt(reader.fixed64());
    case WireType.Bit32:
      return reader.fixed32();
    default:
      return reader.bytes();
  }
}

const last = (fields: Fields, field: number) => fields.get(field)?.at(-1);
const number = (fields: Fields, field: number) => Number(last(fields, field) ?? 0);
const bytes = (fields: Fields, field: number) =>
  Buffer.from((last(fields, field) as Uint8Array | undefined) ?? []);
const hex = (fields: Fields, field: number) => bytes(fields, field).toString("hex");
const text = (fields: Fields, field: number) => bytes(fields, field).toString();
const messages = (fields: Fields, field: number) =>
  (fields.get(field) ?? []).map((each) => fieldsOf(each as Uint8Array));
