import { create, type DescMessage, type MessageInitShape } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { InvalidInput } from "../../src/http/invalid-input.ts";
import { createJsonCodec } from "../../src/rest/json/codec.ts";
import { type Kinds, KindsSchema } from "./gen/shelf/v1/kinds_pb.ts";
import { SampleSchema } from "./gen/shelf/v1/shelf_pb.ts";
import { protoJson } from "./support/json.ts";
import { randomRegistry } from "./support/random-message.ts";

// The ProtoJSON cases of protobuf's conformance suite, for the messages of this folder.

const codec = createJsonCodec(protoJson.style, randomRegistry);
const wkt = "type.googleapis.com/google.protobuf";

/** Reads JSON and writes the message again. */
function rewrite(desc: DescMessage, json: string): string {
  return codec.encodeJson(desc, codec.decodeJson(desc, json));
}

describe("any spelling of ProtoJSON is read, and the canonical one is written", () => {
  test.each([
    // Names.
    ["{}", "{}"],
    ['{"aString":"x"}', '{"aString":"x"}'],
    ['{"a_string":"x"}', '{"aString":"x"}'],
    ['{"a\\u0053tring":"x"}', '{"aString":"x"}'],
    ['{"another_name":"x"}', '{"another_name":"x"}'],
    ['{"renamed":"x"}', '{"another_name":"x"}'],
    ['\n{\t"aBool" :\r\n true }  ', '{"aBool":true}'],
    // Default values are not written. Set fields with presence are.
    ['{"aString":"","anInt32":0,"aBool":false,"aGenre":0,"someBytes":""}', "{}"],
    [
      '{"maybeInt32":0,"maybeString":"","maybeGenre":0}',
      '{"maybeInt32":0,"maybeString":"","maybeGenre":"GENRE_UNSPECIFIED"}',
    ],
    ['{"manyStrings":[],"byString":{}}', "{}"],
    ['{"aSample":{}}', '{"aSample":{}}'],
    // Integers.
    ['{"anInt32":2147483647}', '{"anInt32":2147483647}'],
    ['{"anInt32":-2147483648}', '{"anInt32":-2147483648}'],
    ['{"aUint32":4294967295}', '{"aUint32":4294967295}'],
    ['{"anInt32":"2147483647"}', '{"anInt32":2147483647}'],
    ['{"anInt32":"2\\u003147483647"}', '{"anInt32":2147483647}'],
    ['{"anInt32":100000.000}', '{"anInt32":100000}'],
    ['{"anInt32":1e5}', '{"anInt32":100000}'],
    ['{"anInt32":"1e5"}', '{"anInt32":100000}'],
    ['{"anInt32":2.147483647e9}', '{"anInt32":2147483647}'],
    ['{"anInt32":-2.147483648e9}', '{"anInt32":-2147483648}'],
    ['{"aUint32":4.294967295E9}', '{"aUint32":4294967295}'],
    ['{"anInt64":"9223372036854775807"}', '{"anInt64":"9223372036854775807"}'],
    ['{"anInt64":-9223372036854775808}', '{"anInt64":"-9223372036854775808"}'],
    ['{"aUint64":"18446744073709551615"}', '{"aUint64":"18446744073709551615"}'],
    ['{"aUint64":18446744073709551615}', '{"aUint64":"18446744073709551615"}'],
    ['{"anInt64":1.0,"aUint64":"1e2"}', '{"anInt64":"1","aUint64":"100"}'],
    // Floating point.
    ['{"aFloat":1.1754943508222875e-38}', '{"aFloat":1.1754943508222875e-38}'],
    ['{"aFloat":-3.4028234663852886e38}', '{"aFloat":-3.4028234663852886e+38}'],
    ['{"aDouble":2.2250738585072014E-308}', '{"aDouble":2.2250738585072014e-308}'],
    ['{"aDouble":-1.7976931348623157e+308}', '{"aDouble":-1.7976931348623157e+308}'],
    ['{"aDouble":"1.5","aFloat":"-1e1"}', '{"aDouble":1.5,"aFloat":-10}'],
    ['{"aDouble":"NaN","aFloat":"NaN"}', '{"aDouble":"NaN","aFloat":"NaN"}'],
    ['{"aDouble":"Infinity","aFloat":"-Infinity"}', '{"aDouble":"Infinity","aFloat":"-Infinity"}'],
    ['{"aDouble":-0}', '{"aDouble":-0}'],
    // Enums.
    ['{"aGenre":"GENRE_NOVEL"}', '{"aGenre":"GENRE_NOVEL"}'],
    ['{"aGenre":1}', '{"aGenre":"GENRE_NOVEL"}'],
    ['{"aGenre":1.0}', '{"aGenre":"GENRE_NOVEL"}'],
    [
      '{"aGenre":123,"manyGenres":[123,2]}',
      '{"aGenre":123,"manyGenres":[123,"GENRE_SCIENCE_FICTION"]}',
    ],
    // Strings and bytes.
    ['{"aString":"谷歌"}', '{"aString":"谷歌"}'],
    ['{"aString":"\\u8c37\\u6B4C"}', '{"aString":"谷歌"}'],
    ['{"aString":"\\ud83d\\ude01"}', '{"aString":"😁"}'],
    [
      '{"aString":"\\"\\\\\\/\\b\\f\\n\\r\\t\\u0000"}',
      '{"aString":"\\"\\\\/\\b\\f\\n\\r\\t\\u0000"}',
    ],
    ['{"someBytes":"AQI="}', '{"someBytes":"AQI="}'],
    ['{"someBytes":"-_8"}', '{"someBytes":"+/8="}'],
    // Oneofs: a default value sets a field, null does not.
    ['{"choiceInt64":0}', '{"choiceInt64":"0"}'],
    ['{"choiceString":""}', '{"choiceString":""}'],
    ['{"choiceSample":{}}', '{"choiceSample":{}}'],
    ['{"choiceInt64":null,"choiceString":"x"}', '{"choiceString":"x"}'],
    ['{"choiceString":"x","choiceInt64":null}', '{"choiceString":"x"}'],
    ['{"choiceInt64":null}', "{}"],
    ['{"choiceNull":null}', '{"choiceNull":null}'],
    ['{"choiceNull":"NULL_VALUE"}', '{"choiceNull":null}'],
    // Elsewhere null is not a value.
    ['{"anInt32":null,"anInt64":null,"aString":null,"someBytes":null,"aGenre":null}', "{}"],
    ['{"aSample":null,"manyStrings":null,"byString":null,"aTimestamp":null,"aStruct":null}', "{}"],
    ['{"wrappedInt32":null,"wrappedBytes":null,"anAny":null,"aFieldMask":null}', "{}"],
    // Lists and maps.
    ['{"manyInt64":[1,"2",3.0]}', '{"manyInt64":["1","2","3"]}'],
    ['{"manySamples":[{},{"aBool":true}]}', '{"manySamples":[{},{"aBool":true}]}'],
    ['{"byInt32":{"-1":"a","2":"b"}}', '{"byInt32":{"2":"b","-1":"a"}}'],
    ['{"byInt32":{"\\u0031":"a"}}', '{"byInt32":{"1":"a"}}'],
    [
      '{"byBool":{"true":"GENRE_NOVEL","false":0}}',
      '{"byBool":{"true":"GENRE_NOVEL","false":"GENRE_UNSPECIFIED"}}',
    ],
    ['{"byBool":{"\\u0074rue":1}}', '{"byBool":{"true":"GENRE_NOVEL"}}'],
    ['{"byUint64":{"18446744073709551615":{}}}', '{"byUint64":{"18446744073709551615":{}}}'],
    // Wrappers.
    ['{"wrappedInt32":0,"wrappedUint32":"1"}', '{"wrappedInt32":0,"wrappedUint32":1}'],
    ['{"wrappedInt64":0,"wrappedUint64":"1"}', '{"wrappedInt64":"0","wrappedUint64":"1"}'],
    ['{"wrappedBool":false,"wrappedString":""}', '{"wrappedBool":false,"wrappedString":""}'],
    [
      '{"wrappedDouble":"NaN","wrappedBytes":"AQI"}',
      '{"wrappedDouble":"NaN","wrappedBytes":"AQI="}',
    ],
    ['{"manyWrapped":[0,"1"]}', '{"manyWrapped":["0","1"]}'],
    // Durations: 0, 3, 6 or 9 digits are written.
    ['{"aDuration":"0s"}', '{"aDuration":"0s"}'],
    ['{"aDuration":"1.5s"}', '{"aDuration":"1.500s"}'],
    ['{"aDuration":"-1.000005s"}', '{"aDuration":"-1.000005s"}'],
    ['{"aDuration":"0.000000001s"}', '{"aDuration":"0.000000001s"}'],
    ['{"aDuration":"-0.5s"}', '{"aDuration":"-0.500s"}'],
    ['{"aDuration":"1.010000000s"}', '{"aDuration":"1.010s"}'],
    ['{"aDuration":"315576000000.999999999s"}', '{"aDuration":"315576000000.999999999s"}'],
    ['{"aDuration":"-315576000000.999999999s"}', '{"aDuration":"-315576000000.999999999s"}'],
    // Timestamps are written in UTC, with 0, 3, 6 or 9 digits.
    ['{"aTimestamp":"1970-01-01T00:00:00Z"}', '{"aTimestamp":"1970-01-01T00:00:00Z"}'],
    ['{"aTimestamp":"1969-12-31T16:00:00-08:00"}', '{"aTimestamp":"1970-01-01T00:00:00Z"}'],
    ['{"aTimestamp":"1970-01-01T00:00:00.01Z"}', '{"aTimestamp":"1970-01-01T00:00:00.010Z"}'],
    [
      '{"aTimestamp":"1970-01-01T00:00:00.000010Z"}',
      '{"aTimestamp":"1970-01-01T00:00:00.000010Z"}',
    ],
    [
      '{"aTimestamp":"1970-01-01T00:00:00.000000010Z"}',
      '{"aTimestamp":"1970-01-01T00:00:00.000000010Z"}',
    ],
    ['{"aTimestamp":"0001-01-01T00:00:00Z"}', '{"aTimestamp":"0001-01-01T00:00:00Z"}'],
    [
      '{"aTimestamp":"9999-12-31T23:59:59.999999999Z"}',
      '{"aTimestamp":"9999-12-31T23:59:59.999999999Z"}',
    ],
    // Field masks.
    ['{"aFieldMask":""}', '{"aFieldMask":""}'],
    ['{"aFieldMask":"foo,barBaz.quxQuux"}', '{"aFieldMask":"foo,barBaz.quxQuux"}'],
    // Struct, Value, ListValue.
    [
      '{"aStruct":{"a":null,"b":[1,{}],"c":{"d":"e"}}}',
      '{"aStruct":{"a":null,"b":[1,{}],"c":{"d":"e"}}}',
    ],
    ['{"aValue":null}', '{"aValue":null}'],
    ['{"aValue":[null,true,1.5,"x",{},[]]}', '{"aValue":[null,true,1.5,"x",{},[]]}'],
    ['{"aValue":-0}', '{"aValue":-0}'],
    ['{"aListValue":[]}', '{"aListValue":[]}'],
    ['{"manyValues":[null,{"a":null}]}', '{"manyValues":[null,{"a":null}]}'],
    ['{"anEmpty":{}}', '{"anEmpty":{}}'],
    // Any.
    ['{"anAny":{}}', '{"anAny":{}}'],
    [
      `{"anAny":{"@type":"${wkt}.Duration","value":"1.5s"}}`,
      `{"anAny":{"@type":"${wkt}.Duration","value":"1.500s"}}`,
    ],
    [
      `{"anAny":{"value":"1","@type":"${wkt}.Int64Value"}}`,
      `{"anAny":{"@type":"${wkt}.Int64Value","value":"1"}}`,
    ],
    [
      `{"anAny":{"@type":"${wkt}.Struct","value":{"a":1}}}`,
      `{"anAny":{"@type":"${wkt}.Struct","value":{"a":1}}}`,
    ],
    [
      `{"anAny":{"@type":"${wkt}.Value","value":null}}`,
      `{"anAny":{"@type":"${wkt}.Value","value":null}}`,
    ],
    [`{"anAny":{"@type":"${wkt}.Empty"}}`, `{"anAny":{"@type":"${wkt}.Empty"}}`],
    [
      `{"anAny":{"@type":"${wkt}.Any","value":{"@type":"${wkt}.FieldMask","value":"a"}}}`,
      `{"anAny":{"@type":"${wkt}.Any","value":{"@type":"${wkt}.FieldMask","value":"a"}}}`,
    ],
    [
      '{"anAny":{"aBool":true,"@type":"x/shelf.v1.Sample"}}',
      '{"anAny":{"@type":"x/shelf.v1.Sample","aBool":true}}',
    ],
  ])("%s", (json, written) => {
    expect(rewrite(SampleSchema, json)).toBe(written);
    expect(rewrite(SampleSchema, written)).toBe(written);
  });
});

describe("text that is not ProtoJSON of the message is rejected", () => {
  test.each([
    // Not JSON.
    ...[
      "",
      "{",
      '{"aBool":true',
      '{"aBool":true,}',
      '{"aBool":true,,}',
      '{"aBool":true "aString":""}',
    ],
    ...["{'aBool':true}", "{aBool:true}", '{"aBool":true}}', '{"aBool":True}', "// {}\n{}", "{}{}"],
    ...['{"manyInt64":[1,2,]}', '{"manyInt64":[1 2]}', '{"aBool":}', '{"aString":"\n"}'],
    // Names.
    ...['{"unknown":0}', '{"a-string":"x"}', '{"AString":"x"}', '{"aSample":{"unknown":0}}'],
    ...['{"aBool":true,"aBool":true}', '{"aBool":true,"a_bool":true}'],
    // Integers.
    ...[
      '{"anInt32":0.5}',
      '{"anInt32":"0.5"}',
      '{"anInt32":2147483648}',
      '{"anInt32":-2147483649}',
    ],
    ...['{"aUint32":-1}', '{"aUint32":4294967296}', '{"aUint64":-1}', '{"aUint64":"-1"}'],
    ...['{"anInt64":"9223372036854775808"}', '{"anInt64":"-9223372036854775809"}'],
    ...['{"aUint64":"18446744073709551616"}', '{"anInt64":0.5}', '{"anInt64":"0.5"}'],
    ...['{"anInt32":01}', '{"anInt32":-01}', '{"anInt32":+1}', '{"anInt32":1.}', '{"anInt32":.1}'],
    ...['{"anInt32":""}', '{"anInt32":" 1"}', '{"anInt32":"1 "}', '{"anInt32":"12abc"}'],
    ...['{"anInt32":"abc"}', '{"anInt32":0x1}', '{"anInt32":true}', '{"anInt32":[]}'],
    // Floating point.
    ...['{"aFloat":3.502823e+38}', '{"aFloat":-3.502823e+38}', '{"aDouble":1.89769e308}'],
    ...['{"aDouble":NaN}', '{"aDouble":Infinity}', '{"aDouble":"nan"}', '{"aDouble":"-NaN"}'],
    ...[
      '{"aFloat":""}',
      '{"aFloat":"1,5"}',
      '{"aFloat":" 1"}',
      '{"aFloat":"1.0 "}',
      '{"aDouble":"1e999"}',
    ],
    // Booleans and enums.
    ...['{"aBool":0}', '{"aBool":"true"}', '{"aBool":"false"}', '{"aBool":TRUE}', '{"aBool":""}'],
    ...[
      '{"aGenre":GENRE_NOVEL}',
      '{"aGenre":"NOVEL"}',
      '{"aGenre":"genre_novel"}',
      '{"aGenre":"1"}',
    ],
    ...['{"aGenre":1.5}', '{"aGenre":2147483648}', '{"aGenre":""}', '{"aGenre":true}'],
    // Strings and bytes.
    ...['{"aString":12345}', '{"aString":"\\U0041"}', '{"aString":"\\u00"}', '{"aString":"\\x41"}'],
    ...['{"aString":"\\ud800"}', '{"aString":"\\ude01"}', '{"aString":"\\ude01\\ud83d"}'],
    ...['{"aString":"\\ud800\\u0041"}', '{"aString":true}', '{"aString":["a"]}'],
    ...[
      '{"someBytes":"AQI!"}',
      '{"someBytes":"A"}',
      '{"someBytes":"AQI=="}',
      '{"someBytes":"AQ=I"}',
    ],
    // Messages, lists, maps and oneofs.
    ...["[]", "null", "1", '""', '{"aSample":5}', '{"aSample":[]}', '{"aSample":""}'],
    ...[
      '{"manyInt64":[null]}',
      '{"manySamples":[null]}',
      '{"manyGenres":[null]}',
      '{"manyWrapped":[null]}',
    ],
    ...[
      '{"manyTimestamps":[null]}',
      '{"manyInt64":1}',
      '{"manyInt64":{}}',
      '{"manyStrings":["a",1]}',
    ],
    ...['{"byString":{"a":null}}', '{"byString":[]}', '{"byBool":{"x":1}}', '{"byBool":{true:1}}'],
    ...[
      '{"byInt32":{1:"a"}}',
      '{"byInt32":{"a":"a"}}',
      '{"byInt32":{"1.5":"a"}}',
      '{"byInt32":{"":"a"}}',
    ],
    ...['{"byInt32":{"1":"a","1":"b"}}', '{"byInt32":{"1":"a","\\u0031":"b"}}'],
    ...['{"choiceInt64":1,"choiceString":"x"}', '{"choiceInt64":1,"choiceInt64":2}'],
    // Durations.
    ...[
      '"1"',
      '"s"',
      '"-315576000001.000000000s"',
      '"315576000001.000000000s"',
      '"1.0000000001s"',
    ].map((text) => `{"aDuration":${text}}`),
    ...['{"aDuration":1}', '{"aDuration":"1S"}', '{"aDuration":"1 s"}', '{"aDuration":{}}'],
    // Timestamps.
    ...["0000-01-01T00:00:00Z", "10000-01-01T00:00:00Z", "0001-01-01T00:00:00+01:00"].map(
      (text) => `{"aTimestamp":"${text}"}`,
    ),
    ...["1970-01-01T00:00:00", "1970-01-01t00:00:00Z", "1970-01-01T00:00:00z", "1970-01-01"].map(
      (text) => `{"aTimestamp":"${text}"}`,
    ),
    ...["1970-1-1T00:00:00Z", "1970-01-01T00:00:00.Z", "1970-13-01T00:00:00Z", "now"].map(
      (text) => `{"aTimestamp":"${text}"}`,
    ),
    // Field masks, Struct, ListValue, Empty.
    ...['{"aFieldMask":"foo_bar"}', '{"aFieldMask":["a"]}', '{"aFieldMask":{"paths":["a"]}}'],
    ...[
      '{"aStruct":[]}',
      '{"aStruct":"x"}',
      '{"aListValue":{}}',
      '{"aListValue":1}',
      '{"anEmpty":[]}',
    ],
    ...[
      '{"aValue":NaN}',
      '{"aValue":1e999}',
      '{"anEmpty":{"a":1}}',
      '{"aNull":"x"}',
      '{"aNull":false}',
    ],
    // Any.
    ...[
      '{"anAny":5}',
      '{"anAny":{"value":"1s"}}',
      '{"anAny":{"@type":""}}',
      '{"anAny":{"@type":null}}',
    ],
    `{"anAny":{"@type":"${wkt}.NoSuch"}}`,
    `{"anAny":{"@type":"${wkt}.Duration","value":1}}`,
    '{"anAny":{"@type":"x/shelf.v1.Sample","aBool":1}}',
    '{"anAny":{"@type":"x/shelf.v1.Sample","unknown":1}}',
  ])("%s", (json) => {
    expect(() => codec.decodeJson(SampleSchema, json)).toThrow(InvalidInput);
  });
});

describe("writing a message without JSON throws", () => {
  const number = (value: number) => ({ kind: { case: "numberValue" as const, value } });
  test.each<[string, MessageInitShape<typeof KindsSchema>]>([
    ["NaN in a Value", { values: [number(Number.NaN)] }],
    ["Infinity in a Value", { values: [number(Number.POSITIVE_INFINITY)] }],
    ["a Value of nothing", { values: [{}] }],
    ["NaN in a Struct", { structsByString: { a: { b: Number.NaN } } }],
    ["a Duration of more than 10,000 years", { durations: [{ seconds: 315_576_000_001n }] }],
    ["a Duration of two signs", { durations: [{ seconds: 1n, nanos: -1 }] }],
    ["a Timestamp of the year 10000", { timestampsByString: { a: { seconds: 253_402_300_800n } } }],
    ["a Timestamp before the year 1", { timestampsByString: { a: { seconds: -62_135_596_801n } } }],
    ["a Timestamp of negative nanoseconds", { timestampsByString: { a: { nanos: -1 } } }],
    [
      "a Timestamp of a second of nanoseconds",
      { timestampsByString: { a: { nanos: 1_000_000_000 } } },
    ],
    ["a path that camel case does not give back", { masks: [{ paths: ["fooBar"] }] }],
    ["a path of two underscores", { masks: [{ paths: ["foo__bar"] }] }],
    ["an Any of a type that is not known", { anys: [{ typeUrl: "x/no.Such" }] }],
  ])("%s", (_, init) => {
    const message: Kinds = create(KindsSchema, init);
    expect(() => codec.encodeJson(KindsSchema, message)).toThrow();
  });
});

test.each(['a":1,"b', "a\\", "\n", "<\u2028>"])(
  "a path %j of a field mask stays one string",
  (path) => {
    const message: Kinds = create(KindsSchema, { masks: [{ paths: [path] }] });
    expect(JSON.parse(String(codec.encodeJson(KindsSchema, message)))).toEqual({ masks: [path] });
  },
);
