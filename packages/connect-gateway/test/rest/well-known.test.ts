import { create, createRegistry } from "@bufbuild/protobuf";
import { AnySchema, DurationSchema } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "vitest";
import { createJsonCodec } from "../../src/rest/json/codec.ts";
import { BookSchema } from "../gen/shelf/v1/shelf_pb.ts";
import { fault, sample } from "./support/faults.ts";
import { httpJson } from "./support/json.ts";

// protobuf-es reads these. json-oracle.test.ts has the texts that both refuse.
test.each([
  [
    "aTimestamp",
    "must be an RFC 3339 timestamp such as 2026-11-01T09:30:00Z",
    ["2024-02-30T00:00:00Z", "2023-02-29T00:00:00Z", "2024-01-01T24:00:00Z"],
  ],
  ["aDuration", "must be a duration in seconds such as 3.5s", ["1sx", "0000000000001s"]],
  [
    "aFieldMask",
    "must be field paths in lowerCamelCase, separated by commas",
    ["foo_bar", "a,", ",a", "a..b", ".a", "a b", "é"],
  ],
])("%s: %s", (name, reason, texts) => {
  for (const text of texts) expect(fault(`{"${name}":"${text}"}`)).toBe(`${name}: ${reason}`);
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
test("bytes: base64 in either alphabet, with or without padding", () => {
  for (const text of ["+/8=", "-_8=", "+/8", "-_8"]) {
    expect(sample(`{"someBytes":"${text}"}`).someBytes).toEqual(Uint8Array.of(0xfb, 0xff));
  }
  for (const text of ["+_8=", "+/8==", "=", "+/8=x", "+ /8=", "A", "AAAAA", "AA=", "QQ\\n=="]) {
    expect(fault(`{"someBytes":"${text}"}`)).toBe("someBytes: must be base64");
  }
});

describe("Any", () => {
  const codec = createJsonCodec(httpJson.style, createRegistry(BookSchema, DurationSchema));
  const bookUrl = "type.googleapis.com/shelf.v1.Book";

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
