import { type DescField, ScalarType } from "@bufbuild/protobuf";

const any = (type: string, members: string) =>
  `{"@type":"type.googleapis.com/google.protobuf.${type}"${members}}`;

/** JSON values, and texts that are not JSON, that readers often read wrong. */
export const oddTexts: readonly [string, ...string[]] = [
  "null",
  ...["true", "false", "[]", "{}", "[null]", "[[]]", "[1]", '["a"]', "[{}]", '""'],
  // Numbers.
  ...["0", "-0", "1", "-1", "1.0", "1e2", "100e-2", "1.5", "-0.0", "77", "-1e0"],
  ...["1e18", "1e39", "1e400", "-1e400", "1e-400"],
  ...["2147483647", "2147483648", "-2147483648", "-2147483649", "4294967295", "4294967296"],
  ...["9007199254740993", "9223372036854775807", "9223372036854775808"],
  ...["-9223372036854775808", "-9223372036854775809"],
  ...["18446744073709551615", "18446744073709551616"],
  // Numbers in strings.
  ...['"0"', '"-0"', '"1"', '"77"', '"1.5"', '"2147483648"', '"4294967296"', '"1_000"', '"1e400"'],
  ...['"9223372036854775807"', '"9223372036854775808"', '"18446744073709551616"'],
  ...['"1.0"', '"1e2"', '"+1"', '"01"', '" 1"', '"1 "', '"0x10"', '"0b1"', '".5"', '"1."'],
  ...['"NaN"', '"Infinity"', '"-Infinity"', '"+Infinity"', '"nan"', '"inf"'],
  // Names.
  ...['"true"', '"false"', '"null"', '"NULL_VALUE"', '"null_value"'],
  ...['"KIND_FIRST"', '"KIND_LARGE"', '"kind_first"', '"KIND_NONE"', '"GENRE_NOVEL"'],
  // Bytes.
  ...['"AA"', '"AA=="', '"AB=="', '"A"', '"+/8="', '"-_8="', '"-_8"'],
  ...['"AA="', '"+_8"', '"A A="', '"AA==AA=="', '"AA\\n=="'],
  // Strings.
  ...['"é"', '"\\u0000"', '"\\ud83d\\ude00"', '"\\ud800"'],
  // Timestamps.
  ...['"2024-02-29T12:00:00Z"', '"2024-01-01T00:00:00.123456789Z"', '"0001-01-01T00:00:00Z"'],
  ...['"2024-01-01T00:00:00+05:30"', '"2024-01-01T00:00:00-23:59"', '"2024-01-01T00:00:00+24:00"'],
  ...['"2024-13-01T00:00:00Z"', '"2024-01-01T00:00:60Z"', '"2024-01-01t00:00:00z"'],
  ...['"2024-01-01T00:00:00"', '"2024-01-01T00:00:00.1234567890Z"', '"0000-12-31T23:59:59Z"'],
  ...['"9999-12-31T23:59:59.999999999Z"', '"9999-12-31T23:59:59-00:01"'],
  ...['"0001-01-01T00:00:00+00:01"', '"1969-12-31T23:59:59.25Z"', '"2024-01-01T00:60:00Z"'],
  ...['"2024-01-01 00:00:00Z"', '"2024-01-01T00:00:00.Z"', '"2024-01-01T00:00:00+0100"'],
  ...['"24-01-01T00:00:00Z"', '"2024-01-01T00:00:00Z "'],
  ...['"2024-02-30T12:00:00Z"', '"2023-02-29T00:00:00Z"', '"2024-01-01T24:00:00Z"'],
  // Durations.
  ...['"1s"', '"01s"', '"1.5s"', '"-0.5s"', '"-0s"', '".5s"', '"1.s"', '"+1s"', '"1e1s"'],
  ...['"1.0000000001s"', '"315576000000.999999999s"', '"315576000001s"', '"-315576000001s"'],
  ...['"1sx"', '"0000000000001s"', '"1"', '"s"', '"1h"', '"-0.000000001s"'],
  // Field masks.
  ...['"a"', '"a,b"', '"fooBar"', '"a.b2C"', '"foo_bar"', '"a,"', '"a..b"', '"a b"'],
  // Objects and maps.
  ...['{"a":null}', '{"a":1}', '{"1":1}', '{"":1}', '{"true":true}', '{"True":true}', '{"1":"x"}'],
  ...['{"1":"KIND_FIRST"}', '{"1":"AA=="}', '{"9223372036854775808":"AA"}', '{"4294967296":"x"}'],
  ...['{"01":1}', '{"-0":1}', '{"+1":1}', '{"1.0":1}', '{" 1":1}', '{"01":"x"}', '{"0x1":"x"}'],
  ...['{"a":1,"a":2}', '{"1":1,"1":1}', '{"a":1,"\\u0061":1}', '{"value":1}', '{"x":{"y":[]}}'],
  ...['{"a":"\\ud800"}', '{"\\ud800":1}'],
  // Any.
  any("Duration", ',"value":"1s"'),
  `{"value":"1s",${any("Duration", "").slice(1)}`,
  any("Duration", ""),
  any("Duration", ',"value":null'),
  any("Empty", ""),
  any("Empty", ',"value":{}'),
  any("Any", ',"value":{}'),
  any("Value", ',"value":null'),
  any("No", ""),
  '{"@type":"type.googleapis.com/shelf.v1.Book","title":null}',
  '{"@type":"x/shelf.v1.Book","@type":"x/shelf.v1.Book"}',
  ...['{"@type":""}', '{"@type":5}', '{"@type":"x/"}', '{"@type":"/"}', '{"title":"a"}'],
  ...['{"@type":"google.protobuf.Duration","value":"1s"}', '{"@type":"a.example/shelf.v1.Book"}'],
  any("Struct", ',"a":1'),
  any("Duration", ',"value":"1s","x":1'),
  any("Any", ""),
  any("Int64Value", ',"value":null'),
  // Not JSON.
  ...["", "tru", "nul", "{", "[1,]", '{"a":1,}', "'a'", "1 2", "/**/1", "01", "+1", ".5", "1."],
  ...["0x10", "NaN", "Infinity", '"\\x"', '"\n"', "\u00a01"],
];

const nested = (levels: number) => `${'{"aSample":'.repeat(levels - 1)}{}${"}".repeat(levels - 1)}`;

/** Texts that are read as whole messages of type Sample. */
export const oddSamples: readonly string[] = [
  ...["", "null", "5", '"x"', "[]", "[{}]", "{} {}", "{},", "\u00a0{}", "\ufeff{}"],
  ...[" \t\r\n{ \t\r\n}\n", '{ "aBool" : true }', '{"aBool":true,}', "{aBool:true}", '{"aBool"}'],
  ...['{"a_bool":true}', '{"ABool":true}', '{"abool":true}', '{"\\u0061Bool":true}'],
  ...['{"another_name":"x"}', '{"renamed":"x"}', '{"anotherName":"x"}'],
  ...[
    '{"aBool":true,"aBool":true}',
    '{"aBool":true,"a_bool":true}',
    '{"aBool":null,"a_bool":null}',
  ],
  ...['{"aBool":null,"aBool":true}', '{"\\u0061Bool":true,"aBool":true}'],
  ...['{"unknown":1}', '{"unknown":null}', '{"":1}', '{"[x.y]":1}', '{"__proto__":1}', '{"1":1}'],
  ...['{"choiceInt64":1,"choiceString":"x"}', '{"choiceInt64":null,"choiceString":"x"}'],
  ...['{"choiceString":"x","choiceInt64":null}', '{"choiceInt64":null}', '{"choiceSample":null}'],
  ...['{"choiceNull":null}', '{"choiceNull":null,"choiceString":"x"}', '{"choiceStruct":null}'],
  ...['{"choiceSample":null,"choiceString":"x"}', '{"choiceString":"x","choiceWrapped":null}'],
  ...[
    '{"choiceInt64":"1","choiceInt64":"1"}',
    '{"choice":1}',
    '{"choiceInt64":1,"choice_int64":1}',
  ],
  ...['{"aSample":{"aBool":true},"aSample":{}}', '{"aSample":{"aSample":{"unknown":1}}}'],
  ...['{"manyStrings":["a"],"manyStrings":["b"]}', '{"aFloat":3.4028235e38,"aDouble":1e308}'],
  // Levels that have ended do not count.
  `{"manySamples":[${Array(40).fill("{}")}],"aValue":[${Array(40).fill("[]")}]}`,
  ...[nested(32), nested(33), nested(101)],
];

/** A known difference from how protobuf-es reads ProtoJSON. */
interface Difference {
  /** What differs. A comment says what each of the two does. */
  readonly name: string;
  /** Types of the fields; see {@link kindOf}. */
  readonly kinds: RegExp;
  readonly texts: RegExp;
  /** Matches the error here, if kinds and texts alone match too much. */
  readonly fault?: RegExp;
}

export const differences: readonly Difference[] = [
  // Here: the grammar of JSON numbers, so `"1.0"` and `"1e2"` are read, for 64 bits as well. protobuf-es: the
  // conversions of JavaScript: `"+1"`, `"01"`, `"0x10"`, `"1."`; for 64 bits also `" 1"`, but not `"1.0"`.
  {
    name: "Numbers in strings",
    kinds: /INT|FIXED|DOUBLE|FLOAT|(Double|Float|Int\d\d)Value/,
    texts: /^"(\+1|01|0x10|0b1| 1|1 |\.5|1\.|1\.0|1e2)"$/,
  },
  // Here: exact; `1e-400` is not an integer. protobuf-es: rounded to a double, so `9007199254740993` changes and
  // `1e-400` is 0.
  {
    name: "Integers beyond 2^53, and tiny fractions",
    kinds: /INT|FIXED|Int\d\dValue|enum/,
    texts: /^(1e-400|-?\d{16,20})$/,
  },
  // Here: 0. protobuf-es: -0; the text `-0` with `JS_STRING`.
  { name: "-0 for an integer", kinds: /INT|FIXED|Int\d\dValue|enum|Null/, texts: /^"?-0(\.0)?"?$/ },
  // Here: refused. protobuf-es: read, and written as `null`.
  {
    name: "Numbers of NullValue other than 0",
    kinds: /NullValue/,
    texts: /^(-?1|1\.0|1e2|100e-2|-1e0|77|2147483647|-2147483648|1e-400)$|\[1\]|:[15]\}|:1,/,
    fault: /must be null/,
  },
  // Here: refused. protobuf-es: Infinity, which cannot be written.
  { name: "Numbers beyond a double in Value", kinds: /Value|Struct/, texts: /^-?1e400$/ },
  // Here: one alphabet, padding in full or none. protobuf-es: mixed alphabets, white space and padding anywhere.
  { name: "Base64", kinds: /BYTES|BytesValue/, texts: /^"(AA=|\+_8|A A=|AA==AA==|AA\\n==|a b)"$/ },
  // Here: refused: February 30, 24:00. protobuf-es: the next day.
  {
    name: "Timestamps of days that do not exist",
    kinds: /Timestamp/,
    texts: /^"(2024-02-30|2023-02-29|2024-01-01T24)/,
  },
  // Here: refused: text after the `s`, more than 12 digits of seconds. protobuf-es: read.
  { name: "Durations with more text", kinds: /Duration/, texts: /^"(1sx|0000000000001s)"$/ },
  // Here: refused: names have letters and digits only, or are `*`. protobuf-es: read.
  {
    name: "Field masks with other characters",
    kinds: /FieldMask/,
    texts: /^"(?!(?:(?:\*|[A-Za-z0-9]+)(?:[.,](?:\*|[A-Za-z0-9]+))*)?"$)/,
    fault: /must be field paths/,
  },
  // Here: refused, as in string fields. protobuf-es: read.
  {
    name: "Lone surrogates in Value",
    kinds: /Value|Struct|FieldMask/,
    texts: /ud800/,
    fault: /lone surrogate/,
  },
  // Here: one spelling: `01`, `-0` and `+1` are refused. protobuf-es: read as 1, 0 and 1.
  { name: "Spelling of map keys", kinds: /key/, texts: /^\{"(01|-0|\+1|1\.0| 1|0x1)":/ },
  // Here: `value` only, and required, where the type has a form of its own. protobuf-es: others are ignored; without `value` the others are the value; `null` is a wrapper's default.
  {
    name: "Members of Any",
    kinds: /Any/,
    texts: /"a":1|"x":1|\.Any"\}|Int64Value","value":null|^null$/,
    fault: /unknown field; use value|is required|must be an integer/,
  },
  // Here: unchanged. protobuf-es: becomes `type.googleapis.com/…`.
  { name: "Type URL of Any", kinds: /Any/, texts: /"@type":"(google|a\.example)/ },
  // Here: skipped. protobuf-es: refused.
  { name: "Byte order mark", kinds: /Sample/, texts: /^\ufeff/ },
  // Here: refused. protobuf-es: 100 levels.
  { name: "More than 32 levels", kinds: /Sample/, texts: /(\{"aSample":){32}/, fault: /levels/ },
  // Here: an unset field, so another field may be set. protobuf-es: for messages and enums, refused next to another field.
  {
    name: "null for a field of a oneof",
    kinds: /Sample/,
    texts: /"choice\w+":null,"choice|,"choiceWrapped":null/,
  },
];

/** Returns the type of a field's values, such as `SINT64`, and of its keys if it is a map. */
export function kindOf(field: DescField): string {
  const key = field.fieldKind === "map" ? `key:${ScalarType[field.mapKey]} ` : "";
  if (field.enum) return `${key}enum ${field.enum.typeName}`;
  return `${key}${field.message?.typeName ?? ScalarType[field.scalar ?? 0]}`;
}
