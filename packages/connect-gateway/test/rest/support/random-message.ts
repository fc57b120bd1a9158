import {
  create,
  createRegistry,
  type DescEnum,
  type DescField,
  type DescMessage,
  type JsonObject,
  type JsonValue,
  type Message,
  ScalarType,
} from "@bufbuild/protobuf";
import {
  AnySchema,
  anyPack,
  DurationSchema,
  EmptySchema,
  FieldMaskSchema,
  Int64ValueSchema,
  isWrapperDesc,
  ListValueSchema,
  StructSchema,
  TimestampSchema,
  ValueSchema,
} from "@bufbuild/protobuf/wkt";
import type { Random } from "../../../../../test/system/linearizability/random.ts";
import { KindsSchema } from "../../gen/shelf/v1/kinds_pb.ts";
import { LegacySchema } from "../../gen/shelf/v1/legacy_pb.ts";
import { BookSchema, SampleSchema } from "../../gen/shelf/v1/shelf_pb.ts";

/** The types of random messages. A google.protobuf.Any in them contains one of these. */
export const randomTypes: readonly [DescMessage, ...DescMessage[]] = [
  SampleSchema,
  KindsSchema,
  BookSchema,
  LegacySchema,
  DurationSchema,
  EmptySchema,
  FieldMaskSchema,
  Int64ValueSchema,
  ListValueSchema,
  StructSchema,
  TimestampSchema,
  ValueSchema,
  AnySchema,
];

/** A registry of {@link randomTypes}. */
export const randomRegistry = createRegistry(...randomTypes);

/**
 * Returns a random message. Values are often at the limits of their types. A few messages cannot be JSON,
 * such as one with a Timestamp in the year 10000.
 *
 * @param depth maximum number of further levels of messages
 */
export function randomMessage(random: Random, desc: DescMessage, depth = 3): Message {
  switch (desc.typeName) {
    case "google.protobuf.Any":
      return randomAny(random, depth);
    case "google.protobuf.Timestamp":
      return randomTimestamp(random);
    case "google.protobuf.Duration":
      return randomDuration(random);
    case "google.protobuf.FieldMask":
      return create(FieldMaskSchema, { paths: randomPaths(random) });
  }
  const message = create(desc) as Message & Record<string, unknown>;
  // All fields rarely, many sometimes, a few mostly.
  const share = random.pick([2, 4, 10, 20]);
  for (const field of desc.fields) {
    // The value of a wrapper is always set.
    if (!isWrapperDesc(desc) && !random.oneIn(share)) continue;
    if (depth <= 0 && field.message) continue;
    const value = randomField(random, field, depth - 1);
    if (field.oneof) message[field.oneof.localName] = { case: field.localName, value };
    else message[field.localName] = value;
  }
  if (desc.typeName === "google.protobuf.Value") ensureKind(random, message);
  return message;
}

/** An empty google.protobuf.Value has no JSON, so it is rare. */
function ensureKind(random: Random, message: Record<string, unknown>): void {
  const kind = message.kind as { case?: string };
  if (kind.case !== undefined || random.oneIn(50)) return;
  message.kind = { case: "numberValue", value: randomDouble(random) };
}

function randomAny(random: Random, depth: number): Message {
  const any = create(AnySchema);
  if (depth <= 0 || random.oneIn(8)) return any;
  const desc = random.pick(randomTypes);
  anyPack(desc, randomMessage(random, desc, depth - 1), any);
  if (random.oneIn(4)) any.typeUrl = any.typeUrl.replace("type.googleapis.com", "a.example/b");
  return any;
}

function randomTimestamp(random: Random): Message {
  const seconds = BigInt(random.between(-70_000_000, 260_000_000)) * 1000n;
  const usual = [0, 1, 500_000_000, 1_000, 999_999_999, random.between(0, 999_999_999)] as const;
  return create(TimestampSchema, {
    seconds: random.pick([0n, -1n, 1709208000n, -62135596800n, 253402300799n, seconds]),
    nanos: random.pick(random.oneIn(1000) ? [-1, 1_000_000_000] : usual),
  });
}

function randomDuration(random: Random): Message {
  const sign = random.pick([1, -1]);
  const seconds = random.pick([0, 1, 315_576_000_000, random.between(0, 2 ** 31)]);
  const beyond = random.oneIn(1000) ? 1 : 0;
  const nanos = Math.abs(random.oneIn(2) ? 0 : random.between(0, 999_999_999));
  return create(DurationSchema, {
    seconds: BigInt(sign * (seconds + beyond * 315_576_000_001)),
    nanos: (random.oneIn(1000) ? -sign : sign) * nanos + 0,
  });
}

function randomPaths(random: Random): string[] {
  return some(random, () =>
    random.oneIn(100)
      ? random.pick(["fooBar", "a__b", "a_1"])
      : random.pick(["a", "foo_bar", "x.y_z", "b1", "a.b.c_d_e", "*", "a.*.b_c"]),
  );
}

function some<T>(random: Random, make: () => T): T[] {
  return Array.from({ length: random.between(0, 3) }, make);
}

function randomField(random: Random, field: DescField, depth: number): unknown {
  switch (field.fieldKind) {
    case "list":
      return some(random, () => randomSingle(random, field, depth));
    case "map":
      return Object.fromEntries(
        some(random, () => {
          const key = `${randomScalar(random, field.mapKey)}`;
          return [key, randomSingle(random, field, depth)];
        }),
      );
    default:
      return randomSingle(random, field, depth);
  }
}

/** Returns a value of the type that protobuf-es stores in the field. */
function randomSingle(random: Random, field: DescField, depth: number): unknown {
  if (field.enum) return randomEnum(random, field.enum);
  if (field.scalar !== undefined) {
    const value = randomScalar(random, field.scalar);
    return field.fieldKind !== "map" && field.longAsString ? `${value}` : value;
  }
  const { message } = field;
  const isPlain = field.parent?.typeName !== "google.protobuf.Value";
  if (message.typeName === "google.protobuf.Struct" && isPlain) return randomObject(random, depth);
  const isBare = field.fieldKind === "message" && !field.oneof && isWrapperDesc(message);
  const made = randomMessage(random, message, depth);
  return isBare ? (made as Message & { value: unknown }).value : made;
}

function randomEnum(random: Random, desc: DescEnum): number {
  const [first, ...rest] = desc.values.map(({ number }) => number);
  if (desc.open && desc.typeName !== "google.protobuf.NullValue" && random.oneIn(10)) {
    return random.pick([77, -1, 2 ** 31 - 1, -(2 ** 31)]);
  }
  return random.pick([first ?? 0, ...rest]);
}

function randomScalar(random: Random, scalar: ScalarType): unknown {
  switch (scalar) {
    case ScalarType.DOUBLE:
      return randomDouble(random);
    case ScalarType.FLOAT:
      return Math.fround(randomDouble(random));
    case ScalarType.BOOL:
      return random.oneIn(2);
    case ScalarType.STRING:
      return random.pick(texts);
    case ScalarType.BYTES:
      return Uint8Array.from(some(random, () => random.pick([0, 0xff, 0xfb, 0x3e, 0x80])));
    case ScalarType.INT32:
    case ScalarType.SINT32:
    case ScalarType.SFIXED32: {
      const any = random.between(-(2 ** 31), 2 ** 31 - 1);
      return random.pick([0, 1, -1, 2 ** 31 - 1, -(2 ** 31), any]);
    }
    case ScalarType.UINT32:
    case ScalarType.FIXED32:
      return random.pick([0, 1, 2 ** 32 - 1, random.between(0, 2 ** 32 - 1)]);
    case ScalarType.UINT64:
    case ScalarType.FIXED64:
      return random.pick([0n, 1n, 2n ** 53n + 1n, 2n ** 63n, 2n ** 64n - 1n]);
    default:
      return random.pick([
        0n,
        1n,
        -1n,
        2n ** 53n + 1n,
        -(2n ** 53n) - 1n,
        2n ** 63n - 1n,
        -(2n ** 63n),
      ]);
  }
}

function randomDouble(random: Random): number {
  return random.pick([
    0,
    ...[-0, 1, -1.5, 0.1, 1e21, 1e-7, 5e-324, Number.MAX_VALUE, -Number.MAX_VALUE],
    ...[3.4028234663852886e38, 2 ** 53, Number.NaN],
    ...[Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
    random.between(-(2 ** 31), 2 ** 31) / 1024,
  ]);
}

/** None has a lone surrogate: here it becomes U+FFFD in JSON, and in protobuf-es an escape. */
const texts: readonly [string, ...string[]] = [
  "",
  ...["a", "Kim", "0", "null", "NaN", "2024-02-29T12:00:00Z", "__proto__", "constructor", "@type"],
  ...["value", "€", "😀", "\u2028\u2029", "\ufeff", "\uffff", '"\\/', "\0\b\t\n\f\r\x1f\x7f"],
  "<script>&",
];

function randomObject(random: Random, depth: number): JsonObject {
  return Object.fromEntries(some(random, () => [random.pick(texts), randomJson(random, depth)]));
}

function randomJson(random: Random, depth: number): JsonValue {
  const kind = random.between(0, depth > 0 ? 6 : 4);
  if (kind === 0) return null;
  if (kind === 1) return random.oneIn(2);
  if (kind === 2) return random.pick(texts);
  if (kind === 5) return some(random, () => randomJson(random, depth - 1));
  if (kind === 6) return randomObject(random, depth - 1);
  const number = randomDouble(random);
  return Number.isFinite(number) || random.oneIn(10) ? number : 0;
}
