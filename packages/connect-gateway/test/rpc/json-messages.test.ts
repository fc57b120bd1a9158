import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { ConnectError } from "@connectrpc/connect";
import fc from "fast-check";
import { expect, it } from "vitest";
import { jsonReader } from "../../src/rpc/codec.ts";
import { KindsSchema } from "../gen/shelf/v1/kinds_pb.ts";
import { rpcJson } from "../rest/support/json.ts";

const read = jsonReader(KindsSchema, rpcJson);

function faultOf(json: string | Uint8Array): string | undefined {
  try {
    read(Buffer.from(json));
    return undefined;
  } catch (error) {
    return ConnectError.from(error).rawMessage;
  }
}

const int64 = "must be an integer between -9223372036854775808 and 9223372036854775807";
const uint64 = "must be an integer between 0 and 18446744073709551615";
const int32 = "must be an integer between -2147483648 and 2147483647";
const uint32 = "must be an integer between 0 and 4294967295";
const oneOf = 'must be one of "KIND_FIRST", "KIND_LARGE", "KIND_NEGATIVE"';

it.each([
  // Names of enums are case-sensitive, and numbers are not quoted: https://protobuf.dev/programming-guides/json
  ['{"maybeKind":"KIND_SECOND"}', `maybe_kind: has no value "KIND_SECOND": ${oneOf}`],
  ['{"maybe_kind":"first"}', `maybe_kind: has no value "first": ${oneOf}`],
  ['{"maybeKind":"kind_first"}', `maybe_kind: has no value "kind_first": ${oneOf}`],
  ['{"maybeKind":""}', `maybe_kind: has no value "": ${oneOf}`],
  ['{"maybeKind":"1"}', `maybe_kind: has no value "1": ${oneOf}`],
  ['{"maybeKind":" KIND_FIRST"}', `maybe_kind: has no value " KIND_FIRST": ${oneOf}`],
  ['{"maybeKind":"__proto__"}', `maybe_kind: has no value "__proto__": ${oneOf}`],
  ['{"maybeKind":1.5}', `maybe_kind: has no value 1.5: ${oneOf}`],
  ['{"maybeKind":4294967297}', `maybe_kind: has no value 4294967297: ${oneOf}`],
  ['{"maybeKind":true}', `maybe_kind: ${oneOf}`],
  ['{"maybeKind":["KIND_FIRST"]}', `maybe_kind: ${oneOf}`],
  ['{"oneKind":"x"}', `one_kind: has no value "x": ${oneOf}`],
  ['{"kinds":["KIND_FIRST","x"]}', `kinds[1]: has no value "x": ${oneOf}`],
  ['{"byFixed32":{"7":"x"}}', `by_fixed32.7: has no value "x": ${oneOf}`],
  ['{"oneKinds":{"kinds":["x"]}}', `one_kinds.kinds[0]: has no value "x": ${oneOf}`],
  [
    '{"bySfixed64":{"-3":{"maybeKind":"x"}}}',
    `by_sfixed64.-3.maybe_kind: has no value "x": ${oneOf}`,
  ],
  // Integers in strings are decimal.
  ...[
    "0x2",
    "0X2",
    "0b11",
    "0o7",
    " 2",
    "2 ",
    "2\\n",
    "\\t2",
    "",
    "+2",
    "02",
    "2n",
    "1_0",
    "٣",
  ].flatMap((text) => [
    [`{"maybeInt64":"${text}"}`, `maybe_int64: ${int64}`],
    [`{"int32s":["1","${text}"]}`, `int32s[1]: ${int32}`],
    [`{"oneUint32":"${text}"}`, `one_uint32: ${uint32}`],
    [`{"fixed64s":["${text}"]}`, `fixed64s[0]: ${uint64}`],
    [
      `{"byUint32":{"${text}":1}}`,
      expect.stringMatching(/^by_uint32(?:\..+)?: must be an integer/s),
    ],
    [`{"byInt64":{"${text}":1}}`, expect.stringMatching(/^by_int64(?:\..+)?: must be an integer/s)],
  ]),
  ['{"maybeInt64":"9223372036854775808"}', `maybe_int64: ${int64}`],
  ['{"maybeUint64":"-1"}', `maybe_uint64: ${uint64}`],
  ['{"int32s":["1.5"]}', `int32s[0]: ${int32}`],
  ['{"int32s":["3e9"]}', `int32s[0]: ${int32}`],
  ['{"int32s":[2147483648]}', `int32s[0]: ${int32}`],
  ['{"maybeInt64":1.5}', `maybe_int64: ${int64}`],
  ['{"maybeInt64":true}', `maybe_int64: ${int64}`],
  ['{"maybeInt64":[1]}', `maybe_int64: ${int64}`],
  // Fields that are given by both names, also with a null.
  [
    '{"maybeInt64":"1","maybe_int64":"1"}',
    'maybe_int64: is given twice, as "maybeInt64" and "maybe_int64"; send it once',
  ],
  [
    '{"oneKinds":{"int32s":null,"kinds":null,"maybe_kind":null,"maybeKind":1}}',
    'one_kinds.maybe_kind: is given twice, as "maybe_kind" and "maybeKind"; send it once',
  ],
  ['{"maybeInt64":1,"maybeInt64":2}', "maybe_int64: is given twice; send it once"],
  // Other types of JSON. json-faults.test.ts has all of them, which the same readers refuse.
  ['{"int32s":"1"}', "int32s: must be a JSON array"],
  ['{"int32s":[null]}', `int32s[0]: ${int32}`],
  ['{"byInt64":[]}', "by_int64: must be a JSON object"],
  ["null", "The message must be a JSON object."],
  ['{"maybeDouble":"0x10"}', "maybe_double: must be a 64-bit number, NaN, Infinity or -Infinity"],
  // A number is never rounded to an integer.
  ['{"maybeInt64":9223372036854775808}', `maybe_int64: ${int64}`],
  ['{"maybeInt64":0.99999999999999999}', `maybe_int64: ${int64}`],
  ['{"maybeInt64":9007199254740992.5}', `maybe_int64: ${int64}`],
  ['{"maybeUint64":-0.00000000000000000001}', `maybe_uint64: ${uint64}`],
  // Texts that are not JSON.
  ["", "The message is empty: without fields, it is {} in JSON."],
  ['{"maybeKind":"x"', `maybe_kind: has no value "x": ${oneOf}`],
  [
    '{"unknown":{"a":tru}}',
    'The message is not valid JSON: expected a value, found "t" at line 1, column 17.',
  ],
  [
    `${'{"oneKinds":'.repeat(5_000)}`,
    expect.stringMatching(/^(one_kinds\.)*one_kinds: must have at most 32 levels of nesting$/),
  ],
  [`{"unknown":${"[".repeat(5_000)}`, "unknown: must have at most 32 levels of nesting"],
])("refuses %.200s", (json, fault) => {
  expect(faultOf(json)).toEqual(fault);
});

it("refuses bytes that are not UTF-8", () => {
  const bytes = Buffer.from('{"otherString":"\xff"}', "latin1");
  expect(faultOf(bytes)).toBe("The message must be UTF-8.");
});

it.each([
  ['{"maybeKind":"KIND_FIRST"}', { maybeKind: 1 }],
  ['{"maybeKind":1.0}', { maybeKind: 1 }],
  // Enums of proto3 are open: the validator refuses numbers without a value.
  ['{"maybeKind":99}', { maybeKind: 99 as never }],
  ['{"maybeInt64":"-9223372036854775808"}', { maybeInt64: -(2n ** 63n) }],
  ['{"maybeInt64":"-0"}', { maybeInt64: 0n }],
  ['{"maybeInt64":"\\u0032"}', { maybeInt64: 2n }],
  ['{"maybeInt64":1e2}', { maybeInt64: 100n }],
  ['{"int32s":[1e2,2.0,"3"]}', { int32s: [100, 2, 3] }],
  // protobuf.dev: "Exponent notation (such as 1e2) is accepted in both quoted and unquoted forms."
  ['{"int32s":["1e2","2.0"]}', { int32s: [100, 2] }],
  ['{"maybeKind":null,"int32s":null,"oneKinds":null}', {}],
  ['{"maybeDouble":"NaN"}', { maybeDouble: Number.NaN }],
  ['{"nullsByString":{"a":null}}', { nullsByString: { a: 0 } }],
  ['{"durations":["3.5s"]}', { durations: [{ seconds: 3n, nanos: 500_000_000 }] }],
  ['{"masks":["aB,c"]}', { masks: [{ paths: ["a_b", "c"] }] }],
  ['{"maybeInt64":9007199254740993}', { maybeInt64: 9_007_199_254_740_993n }],
  ['{"maybeInt64":9223372036854775807.0}', { maybeInt64: 2n ** 63n - 1n }],
  ['{"maybeInt64":"9.223372036854775807e18"}', { maybeInt64: 2n ** 63n - 1n }],
] satisfies [string, MessageInitShape<typeof KindsSchema>][])("reads %s", (json, expected) => {
  expect(read(Buffer.from(json))).toEqual(create(KindsSchema, expected));
});

it.each([
  '{"unknown":"x","colour":{"maybeKind":"x"},"unknown":[1e999,null,true,false,{}]}',
  '{"maybeKinds":"x"}',
  '{"oneKinds":{"unknown":[{"maybeKind":"x"}],"constructor":1,"__proto__":{"maybeKind":"x"}}}',
])("ignores unknown fields: %s", (json) => {
  const expected = json.includes("oneKinds") ? { one: { case: "oneKinds", value: {} } } : {};
  expect(read(Buffer.from(json))).toEqual(create(KindsSchema, expected as never));
});

/** Ways to write an integer as a number of JSON. */
const forms: readonly ((integer: bigint) => string)[] = [
  String,
  (integer) => `"${integer}"`,
  (integer) => `${integer}.0`,
  (integer) => `${integer}e0`,
  (integer) => (integer === 0n ? "0" : `${integer}00E-2`),
  (integer) =>
    String(integer).replace(/^(-?\d)(\d+)$/, (_, first, rest) => {
      return `${first}.${rest}e+${rest.length}`;
    }),
];

const integers = fc.oneof(
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.bigInt({ min: 2n ** 53n - 9n, max: 2n ** 53n + 9n }),
);

it("reads every integer exactly, in every form", () => {
  fc.assert(
    fc.property(integers, fc.constantFrom(...forms), (integer, form) => {
      const json = `{"maybeInt64":${form(integer)}}`;
      expect([json, read(Buffer.from(json))]).toEqual([
        json,
        create(KindsSchema, { maybeInt64: integer }),
      ]);
    }),
    { numRuns: 2_000 },
  );
});
