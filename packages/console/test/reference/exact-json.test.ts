import { describe, expect, test } from "vitest";
import { indentJson, readJson } from "../../src/reference/exact-json.ts";

test("readJson returns integers that a double cannot hold as texts", () => {
  expect(readJson('{"a": 9223372036854775807, "b": 12, "c": 0.5}')).toEqual({
    a: "9223372036854775807",
    b: 12,
    c: 0.5,
  });
});

describe("indentJson", () => {
  test.each([
    ['[{"petId":9007199254740993}]', '[\n  {\n    "petId": 9007199254740993\n  }\n]'],
    ['{"a":[],"b":{},"c":[1,2]}', '{\n  "a": [],\n  "b": {},\n  "c": [\n    1,\n    2\n  ]\n}'],
    ['{"text":"a\\" , {b}: \\\\"}', '{\n  "text": "a\\" , {b}: \\\\"\n}'],
    ["null", "null"],
    ["-1.5e+7", "-1.5e+7"],
    ["[]", "[]"],
  ])("%s", (json, indented) => {
    expect(indentJson(json)).toBe(indented);
  });

  test.each(["", "no JSON", '{"a":', '{"a":1}{'])("returns %j as it is", (text) => {
    expect(indentJson(text)).toBe(text);
  });
});
