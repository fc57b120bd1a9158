import type { DescMessage } from "@bufbuild/protobuf";
import {
  AnySchema,
  Int64ValueSchema,
  ListValueSchema,
  StructSchema,
  ValueSchema,
} from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "vitest";
import { httpJson } from "../../src/contract/http-json.ts";
import { createQueryFields } from "../../src/rest/binding/query.ts";
import { SampleSchema } from "./gen/shelf/v1/shelf_pb.ts";
import { fault, sample } from "./support/faults.ts";

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
    const message = sample(`{"aDuration":"${text}"}`);
    expect(message.aDuration).toMatchObject({ seconds, nanos });
    const written = httpJson.encodeJson(SampleSchema, message);
    expect(sample(written)).toEqual(message);
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
  const written = JSON.parse(httpJson.encodeJson(SampleSchema, message));
  expect(written).toMatchObject(JSON.parse(json));
});

test.each([AnySchema, Int64ValueSchema, ListValueSchema, StructSchema, ValueSchema])(
  "%s is not supported",
  (desc) => {
    const reason = `${desc.typeName} is not supported`;
    expect(() => httpJson.readers.message(desc)).toThrow(reason);
    expect(() => httpJson.writers.message(desc)).toThrow(reason);
    const [field] = SampleSchema.fields.filter(({ name }) => name === "a_sample");
    const input = { ...SampleSchema, fields: [{ ...field, message: desc }] } as DescMessage;
    expect(() => createQueryFields(httpJson.annotations)(input)).toThrow(reason);
  },
);
