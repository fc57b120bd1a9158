import { create, createRegistry, toBinary } from "@bufbuild/protobuf";
import {
  AnySchema,
  DurationSchema,
  Int64ValueSchema,
  ListValueSchema,
  StructSchema,
  ValueSchema,
} from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "vitest";
import { createJsonCodec } from "../../src/rest/json/codec.ts";
import { BookSchema, SampleSchema } from "./gen/shelf/v1/shelf_pb.ts";
import { fault, fresh, sample } from "./support/faults.ts";
import { httpJson, protoJson } from "./support/json.ts";

describe("Timestamp (RFC 3339, 0001 to 9999, at most nanoseconds)", () => {
  test.each([
    ["1970-01-01T00:00:00Z", 0n, 0],
    ["0001-01-01T00:00:00Z", -62135596800n, 0],
    ["9999-12-31T23:59:59.999999999Z", 253402300799n, 999999999],
    ["2024-02-29T12:00:00.5Z", 1709208000n, 500000000],
    ["1970-01-01T01:30:00+01:30", 0n, 0],
    ["1969-12-31T16:00:00.000000001-08:00", 0n, 1],
    ["1969-12-31T23:59:59.25Z", -1n, 250000000],
  ])("%s", (text, seconds, nanos) => {
    expect(sample(`{"aTimestamp":"${text}"}`).aTimestamp).toMatchObject({ seconds, nanos });
  });

  test.each([
    "",
    "2024-02-30T00:00:00Z",
    "2023-02-29T00:00:00Z",
    "2024-13-01T00:00:00Z",
    "2024-01-01T24:00:00Z",
    "2024-01-01T00:60:00Z",
    "2024-01-01T00:00:60Z",
    "2024-01-01t00:00:00Z",
    "2024-01-01T00:00:00z",
    "2024-01-01 00:00:00Z",
    "2024-01-01T00:00:00",
    "2024-01-01T00:00:00.Z",
    "2024-01-01T00:00:00.1234567890Z",
    "2024-01-01T00:00:00+24:00",
    "2024-01-01T00:00:00+0100",
    "24-01-01T00:00:00Z",
    "0000-12-31T00:00:00Z",
    "0001-01-01T00:00:00+00:01",
    "9999-12-31T23:59:59-00:01",
    "2024-01-01T00:00:00Z ",
  ])("%j is rejected", (text) => {
    const reason = "aTimestamp: must be an RFC 3339 timestamp such as 2026-11-01T09:30:00Z";
    expect(fault(`{"aTimestamp":"${text}"}`)).toBe(reason);
  });
});

describe("Duration (up to 10,000 years, positive or negative, at most nanoseconds)", () => {
  test.each([
    ["0s", 0n, 0],
    ["-0s", 0n, 0],
    ["1.5s", 1n, 500000000],
    ["-1.5s", -1n, -500000000],
    ["-0.000000001s", 0n, -1],
    ["315576000000s", 315576000000n, 0],
    ["-315576000000s", -315576000000n, 0],
    ["315576000000.999999999s", 315576000000n, 999999999],
    ["-315576000000.999999999s", -315576000000n, -999999999],
  ])("%s", (text, seconds, nanos) => {
    const message = sample(`{"aDuration":"${text}"}`, protoJson);
    expect(message.aDuration).toMatchObject({ seconds, nanos });
    const written = protoJson.encodeJson(SampleSchema, message);
    expect(sample(written, protoJson)).toEqual(message);
  });

  test.each([
    "",
    "1",
    "s",
    "1.s",
    ".5s",
    "+1s",
    "1s ",
    "1sx",
    "1e3s",
    "1.0000000001s",
    "315576000001s",
    "-315576000001s",
    "1h",
  ])("%j is rejected", (text) => {
    expect(fault(`{"aDuration":"${text}"}`)).toBe(
      "aDuration: must be a duration in seconds such as 3.5s",
    );
  });
});

describe("FieldMask", () => {
  test.each([
    ["", []],
    ["a", ["a"]],
    ["fooBar,x.yZ", ["foo_bar", "x.y_z"]],
  ])("%j", (text, paths) => {
    expect(sample(`{"aFieldMask":"${text}"}`).aFieldMask?.paths).toEqual(paths);
  });

  test.each(["foo_bar", "a,", ",a", "a..b", ".a", "a b", "é"])("%j is rejected", (text) => {
    const reason = "aFieldMask: must be field paths in lowerCamelCase, separated by commas";
    expect(fault(`{"aFieldMask":"${text}"}`)).toBe(reason);
  });

  test("a mask has at most 1000 paths and 8192 characters", () => {
    const mask = (text: string) => `{"aFieldMask":"${text}"}`;
    expect(sample(mask(`${"aB,".repeat(999)}a`)).aFieldMask?.paths).toHaveLength(1_000);
    expect(fault(mask(`${"aB,".repeat(1_000)}a`))).toBe(
      "aFieldMask: must have at most 1000 elements",
    );
    expect(sample(mask("A".repeat(8_192))).aFieldMask?.paths).toHaveLength(1);
    expect(fault(mask("A".repeat(8_193)))).toBe("aFieldMask: must have at most 8192 characters");
  });
});

test.each(["5", "null", "{}", "[]", "true"])("these are strings, not %s", (json) => {
  expect(fault(`{"aTimestamp":${json}}`)).toMatch(/^aTimestamp: must be an RFC 3339/);
});

test("Struct, Value and ListValue are any JSON", () => {
  const json = '{"a":[1,2.5,"x",true,null,{"b":{}}],"c":{}}';
  const value = sample(
    `{"aValue":${json},"aStruct":${json},"aListValue":[${json}],"choiceStruct":${json}}`,
  );
  expect(value.aStruct).toEqual(JSON.parse(json));
  expect(value.choice.value).toEqual(JSON.parse(json));
  const written = JSON.parse(httpJson.encodeJson(SampleSchema, value));
  expect(written).toMatchObject({
    aValue: JSON.parse(json),
    aStruct: JSON.parse(json),
    aListValue: [JSON.parse(json)],
  });
});

test("a well-known type can be the whole JSON text", () => {
  const codec = fresh(httpJson);
  const struct = codec.decodeJson(StructSchema, '{"a":[1]}');
  expect(struct.fields.a?.kind.case).toBe("listValue");
  expect(codec.encodeJson(StructSchema, struct)).toBe('{"a":[1]}');
  const list = codec.decodeJson(ListValueSchema, "[1]");
  expect(codec.encodeJson(ListValueSchema, list)).toBe("[1]");
  const value = codec.decodeJson(ValueSchema, '{"a":{"b":1}}');
  expect(codec.encodeJson(ValueSchema, value)).toBe('{"a":{"b":1}}');
  const wrapped = codec.decodeJson(Int64ValueSchema, "5");
  expect(codec.encodeJson(Int64ValueSchema, wrapped)).toBe("5");
});

test("bytes: base64 in either alphabet, with or without padding", () => {
  for (const text of ["+/8=", "-_8=", "+/8", "-_8"]) {
    expect(sample(`{"someBytes":"${text}"}`).someBytes).toEqual(Uint8Array.of(0xfb, 0xff));
  }
  for (const text of ["+_8=", "+/8==", "=", "+/8=x", "+ /8=", "A", "AAAAA", "AA=", "QQ\\n=="]) {
    expect(fault(`{"someBytes":"${text}"}`)).toBe("someBytes: must be base64");
  }
});

test("floating point: NaN and Infinity are strings", () => {
  const json =
    '{"manySamples":[{"aDouble":"NaN"},{"aDouble":"-Infinity"},{"aFloat":"Infinity"},{"aFloat":3.4028235e38}]}';
  const message = sample(json);
  expect(message.manySamples.map(({ aDouble, aFloat }) => aFloat || aDouble)).toEqual([
    Number.NaN,
    Number.NEGATIVE_INFINITY,
    Number.POSITIVE_INFINITY,
    3.4028235e38,
  ]);
  expect(protoJson.encodeJson(SampleSchema, message)).toBe(
    json.replace("3.4028235e38", "3.4028235e+38"),
  );
});

describe("Any", () => {
  const registry = createRegistry(
    BookSchema,
    SampleSchema,
    DurationSchema,
    Int64ValueSchema,
    AnySchema,
  );
  const codec = createJsonCodec(httpJson.style, registry);
  const bookUrl = "type.googleapis.com/shelf.v1.Book";
  const read = (json: string) => sample(`{"anAny":${json}}`, codec).anAny;
  const write = (typeUrl: string, value: Uint8Array) =>
    codec.encodeJson(AnySchema, create(AnySchema, { typeUrl, value }));

  test("has the fields of its message, with the type at any position", () => {
    const book = create(BookSchema, { title: "Kim", copies: 9007199254740993n });
    const value = toBinary(BookSchema, book);
    for (const json of [
      `{"@type":"${bookUrl}","title":"Kim","copies":9007199254740993}`,
      `{"copies":9007199254740993,"title":"Kim","@type":"${bookUrl}"}`,
    ]) {
      expect(read(json)).toMatchObject({ typeUrl: bookUrl, value });
    }
    expect(write(bookUrl, value)).toBe(
      `{"@type":"${bookUrl}","name":"","title":"Kim","copies":9007199254740993,"tags":[]}`,
    );
    const bare = createJsonCodec(protoJson.style, registry);
    const empty = create(AnySchema, { typeUrl: bookUrl });
    expect(bare.encodeJson(AnySchema, empty)).toBe(`{"@type":"${bookUrl}"}`);
  });

  test.each([
    ["google.protobuf.Duration", '"1.500s"', DurationSchema, { seconds: 1n, nanos: 500_000_000 }],
    [
      "google.protobuf.Int64Value",
      "9007199254740993",
      Int64ValueSchema,
      { value: 9007199254740993n },
    ],
  ])("has a member value if %s is not an object of fields", (name, json, desc, init) => {
    const typeUrl = `type.googleapis.com/${name}`;
    const value = toBinary(desc, create(desc, init as never) as never);
    const text = `{"@type":"${typeUrl}","value":${json}}`;
    expect(read(text)).toMatchObject({ typeUrl, value });
    expect(write(typeUrl, value)).toBe(text);
  });

  test("can contain another Any, or nothing", () => {
    const inner = `{"@type":"${bookUrl}","title":"Kim"}`;
    const outer = `{"@type":"x/google.protobuf.Any","value":${inner}}`;
    const any = read(outer) ?? create(AnySchema);
    expect(JSON.parse(codec.encodeJson(AnySchema, any))).toMatchObject({ value: { title: "Kim" } });
    expect(read("{}")).toMatchObject({ typeUrl: "" });
    expect(write("", new Uint8Array())).toBe("{}");
  });

  test.each([
    ["5", "anAny: must be a JSON object"],
    ['{"title":"Kim"}', "anAny.@type: must be a string: the type URL of the message"],
    ['{"@type":5}', "anAny.@type: must be a string: the type URL of the message"],
    ['{"@type":"x/no.Such"}', "anAny.@type: is not a known message type"],
    [`{"@type":"${bookUrl}","@type":"${bookUrl}"}`, "anAny.@type: is given twice; send it once"],
    [`{"@type":"${bookUrl}","title":5}`, "anAny.title: must be a string"],
    ['{"@type":"x/google.protobuf.Duration"}', "anAny.value: is required"],
    [
      '{"@type":"x/google.protobuf.Duration","value":"1s","x":1}',
      "anAny.x: unknown field; use value",
    ],
    [
      '{"@type":"x/google.protobuf.Duration","value":"1s","value":"1s"}',
      "anAny.value: is given twice; send it once",
    ],
  ])("%s", (json, message) => {
    expect(fault(`{"anAny":${json}}`, codec)).toBe(message);
  });

  test("of an unknown type cannot be written, and without a registry it cannot be read", () => {
    for (const known of [codec, httpJson]) {
      const any = create(AnySchema, { typeUrl: "x/no.Such" });
      expect(() => known.encodeJson(AnySchema, any)).toThrow(
        "google.protobuf.Any of unknown type x/no.Such",
      );
    }
    expect(fault(`{"anAny":{"@type":"${bookUrl}"}}`)).toBe(
      "anAny.@type: is not a known message type",
    );
  });
});
