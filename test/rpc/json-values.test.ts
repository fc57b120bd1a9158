import { create, type DescMessage, fromJsonString, toJsonString } from "@bufbuild/protobuf";
import { expect, it } from "vitest";
import { createValueCheck } from "../../src/rpc/json-values.ts";
import { KindsSchema } from "../rest/gen/shelf/v1/kinds_pb.ts";

function faultOf(desc: DescMessage, json: string): string | undefined {
  const check = createValueCheck(desc, (field, text) => new Error(`${field}: ${text}`));
  try {
    check(Buffer.from(json));
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

const int64 = "must be an integer between -9223372036854775808 and 9223372036854775807";
const uint64 = "must be an integer between 0 and 18446744073709551615";
const int32 = "must be an integer between -2147483648 and 2147483647";
const uint32 = "must be an integer between 0 and 4294967295";
const kind = "send one of KIND_FIRST, KIND_LARGE, KIND_NEGATIVE";

it.each([
  // Names of enums are case-sensitive, and numbers are not quoted: https://protobuf.dev/programming-guides/json
  ['{"maybeKind":"KIND_SECOND"}', `maybe_kind: has no value "KIND_SECOND": ${kind}`],
  ['{"maybe_kind":"first"}', `maybe_kind: has no value "first": ${kind}`],
  ['{"maybeKind":"kind_first"}', `maybe_kind: has no value "kind_first": ${kind}`],
  ['{"maybeKind":""}', `maybe_kind: has no value "": ${kind}`],
  ['{"maybeKind":"1"}', `maybe_kind: has no value "1": ${kind}`],
  ['{"maybeKind":" KIND_FIRST"}', `maybe_kind: has no value " KIND_FIRST": ${kind}`],
  ['{"maybeKind":"__proto__"}', `maybe_kind: has no value "__proto__": ${kind}`],
  ['{"maybeKind":1.5}', `maybe_kind: has no value 1.5: ${kind}`],
  ['{"maybeKind":4294967297}', `maybe_kind: has no value 4294967297: ${kind}`],
  ['{"maybeKind":true}', `maybe_kind: has no value true: ${kind}`],
  ['{"maybeKind":["KIND_FIRST"]}', `maybe_kind: has no value ["KIND_FIRST"]: ${kind}`],
  ['{"oneKind":"x"}', `one_kind: has no value "x": ${kind}`],
  ['{"kinds":["KIND_FIRST","x"]}', `kinds[1]: has no value "x": ${kind}`],
  ['{"byFixed32":{"7":"x"}}', `by_fixed32["7"]: has no value "x": ${kind}`],
  ['{"oneKinds":{"kinds":["x"]}}', `one_kinds.kinds[0]: has no value "x": ${kind}`],
  [
    '{"bySfixed64":{"-3":{"maybeKind":"x"}}}',
    `by_sfixed64["-3"].maybe_kind: has no value "x": ${kind}`,
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
    [`{"byUint32":{"${text}":1}}`, expect.stringContaining(`its key ${uint32}`)],
    [`{"byInt64":{"${text}":1}}`, expect.stringContaining(`its key ${int64}`)],
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
    'maybe_int64: is given twice, as "maybeInt64" and "maybe_int64"',
  ],
  [
    '{"oneKinds":{"int32s":null,"kinds":null,"maybe_kind":null,"maybeKind":1}}',
    'one_kinds.maybe_kind: is given twice, as "maybe_kind" and "maybeKind"',
  ],
  // Other types of JSON.
  ['{"int32s":"1"}', "int32s: must be an array"],
  ['{"int32s":{}}', "int32s: must be an array"],
  ['{"int32s":[null]}', `int32s[0]: ${int32}`],
  ['{"byInt64":[]}', "by_int64: must be an object"],
  ['{"oneKinds":"x"}', "one_kinds: must be an object"],
  ['{"oneKinds":[]}', "one_kinds: must be an object"],
  ["[]", ": must be an object"],
  ["null", ": must be an object"],
  ['{"maybeBool":"true"}', "maybe_bool: must be true or false"],
  ['{"otherString":1}', "other_string: must be a string without lone surrogates"],
  ['{"otherString":"\\ud800"}', "other_string: must be a string without lone surrogates"],
  ['{"maybeBytes":"*"}', "maybe_bytes: must be base64"],
  ['{"maybeDouble":"0x10"}', "maybe_double: must be a number"],
  ['{"wrappedBools":["true"]}', "wrapped_bools[0]: must be true or false"],
  [
    '{"oneTimestamp":"2026-02-30T00:00:00Z"}',
    "one_timestamp: must be an RFC 3339 timestamp such as 2026-11-01T09:30:00Z",
  ],
  ['{"durations":["3s later"]}', "durations[0]: must be a duration in seconds such as 3.5s"],
  ['{"masks":["a b"]}', "masks[0]: must be field paths in lowerCamelCase, separated by commas"],
])("refuses %s", (json, fault) => {
  expect(faultOf(KindsSchema, json)).toEqual(fault);
});

it.each([
  ['{"maybeKind":"KIND_FIRST"}', { maybeKind: 1 }],
  ['{"maybeKind":1.0}', { maybeKind: 1 }],
  // Enums of proto3 are open: the validator refuses numbers without a value.
  ['{"maybeKind":99}', { maybeKind: 99 }],
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
])("accepts %s", (json, expected) => {
  expect(faultOf(KindsSchema, json)).toBeUndefined();
  const message = fromJsonString(KindsSchema, json);
  expect(toJsonString(KindsSchema, message)).toBe(
    toJsonString(KindsSchema, create(KindsSchema, expected as object)),
  );
});

it.each([
  '{"unknown":"x","colour":{"maybeKind":"x"}}',
  '{"maybeKinds":"x"}',
  '{"oneKinds":{"unknown":[{"maybeKind":"x"}],"constructor":1,"__proto__":{"maybeKind":"x"}}}',
])("does not look into unknown fields: %s", (json) => {
  expect(faultOf(KindsSchema, json)).toBeUndefined();
});

it("leaves a text that is not JSON, and nesting that is too deep, to the parser", () => {
  expect(faultOf(KindsSchema, '{"maybeKind":"x"')).toBeUndefined();
  const deep = `${'{"oneKinds":'.repeat(5_000)}{"maybeKind":"x"}${"}".repeat(5_000)}`;
  expect(faultOf(KindsSchema, deep)).toBeUndefined();
  expect(() => fromJsonString(KindsSchema, deep)).toThrow("recursion depth");
});
