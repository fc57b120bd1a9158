import type { MessageInitShape } from "@bufbuild/protobuf";
import fc from "fast-check";
import type { SampleSchema } from "../gen/shelf/v1/shelf_pb.ts";

type Init = MessageInitShape<typeof SampleSchema>;

const int32 = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });
const uint32 = fc.integer({ min: 0, max: 2 ** 32 - 1 });
const int64 = fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n);
const uint64 = fc.bigInt(0n, 2n ** 64n - 1n);
const text = fc.string({ unit: "grapheme", maxLength: 5 });
const bytes = fc.uint8Array({ maxLength: 6 });
const double = fc.double();
const float = fc.float();
/** Only values that have a short name. */
const genre = fc.constantFrom(1, 2);
const json = fc.jsonValue({ maxDepth: 2 });
const object = fc.dictionary(text, json, { maxKeys: 3 });
const timestamp = fc.record({
  seconds: fc.bigInt(-62_135_596_800n, 253_402_300_799n),
  nanos: fc.integer({ min: 0, max: 999_999_999 }),
});
const duration = fc
  .tuple(
    fc.constantFrom(1, -1),
    fc.integer({ min: 0, max: 315_575_999_999 }),
    fc.integer({ min: 0, max: 999_999_999 }),
  )
  .map(([sign, seconds, nanos]) => ({ seconds: BigInt(sign * seconds), nanos: sign * nanos + 0 }));

function map<T>(
  key: fc.Arbitrary<string>,
  value: fc.Arbitrary<T>,
): fc.Arbitrary<Record<string, T>> {
  return fc.dictionary(key, value, { maxKeys: 3 });
}

/** Fields that do not contain samples. */
const leaves = {
  aDouble: double,
  aFloat: float,
  anInt32: int32,
  anInt64: int64,
  aUint32: uint32,
  aUint64: uint64,
  aSint32: int32,
  aSint64: int64,
  aFixed32: uint32,
  aFixed64: uint64,
  aSfixed32: int32,
  aSfixed64: int64,
  aBool: fc.boolean(),
  aString: text,
  someBytes: bytes,
  aGenre: genre,
  aBinding: fc.constantFrom(0, 1),
  maybeInt32: int32,
  maybeString: text,
  maybeGenre: genre,
  manyInt64: fc.array(int64, { maxLength: 3 }),
  manyStrings: fc.array(text, { maxLength: 3 }),
  manyGenres: fc.array(genre, { maxLength: 3 }),
  manyBytes: fc.array(bytes, { maxLength: 3 }),
  byString: map(text, int64),
  byInt32: map(int32.map(String), text),
  byBool: map(fc.constantFrom("true", "false"), genre),
  choice: fc.oneof(
    int64.map((value) => ({ case: "choiceInt64" as const, value })),
    text.map((value) => ({ case: "choiceString" as const, value })),
    fc.constant({ case: "choiceNull" as const, value: 0 }),
    int64.map((value) => ({ case: "choiceWrapped" as const, value: { value } })),
    object.map((value) => ({ case: "choiceStruct" as const, value })),
  ),
  aTimestamp: timestamp,
  aDuration: duration,
  aFieldMask: fc.record({
    paths: fc.array(fc.constantFrom("a", "foo_bar", "x.y_z", "b1"), { maxLength: 3 }),
  }),
  aStruct: object,
  anEmpty: fc.constant({}),
  wrappedDouble: double,
  wrappedFloat: float,
  wrappedInt64: int64,
  wrappedUint64: uint64,
  wrappedInt32: int32,
  wrappedUint32: uint32,
  wrappedBool: fc.boolean(),
  wrappedString: text,
  wrappedBytes: bytes,
  manyWrapped: fc.array(
    int64.map((value) => ({ value })),
    { maxLength: 3 },
  ),
  byWrapped: map(
    text,
    text.map((value) => ({ value })),
  ),
  anInt64InString: int64.map(String),
  manyInt64InStrings: fc.array(int64.map(String), { maxLength: 3 }),
  renamed: text,
  manyTimestamps: fc.array(timestamp, { maxLength: 3 }),
  manyStructs: fc.array(object, { maxLength: 3 }),
  byDouble: map(text, double),
};

const leaf = fc.record(leaves, { requiredKeys: [] }) as fc.Arbitrary<Init>;

/** Samples with any fields set to any values, and samples in them. */
export const samples = fc.record(
  {
    ...leaves,
    aSample: leaf,
    manySamples: fc.array(leaf, { maxLength: 2 }),
    byUint64: map(uint64.map(String), leaf),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<Init>;
