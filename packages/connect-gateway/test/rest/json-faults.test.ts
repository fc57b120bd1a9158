import { describe, expect, test } from "vitest";
import { InvalidInput, describe as textOf } from "../../src/http/invalid-input.ts";
import { fault, sample } from "./support/faults.ts";

describe("an error for text that is not JSON has line and column", () => {
  test.each([
    ["", "expected a value, found the end at line 1, column 1"],
    ["{", "expected a member name in quotes, found the end at line 1, column 2"],
    ["{}}", 'expected the end, found "}" at line 1, column 3'],
    ["{} x", 'expected the end, found "x" at line 1, column 4'],
    [
      '{\n  "aBool": true,\n}',
      'expected a member name in quotes, found "}" at line 3, column 1: remove the comma before it',
    ],
    ['{"aBool" true}', 'expected ":", found "t" at line 1, column 10'],
    ['{"aBool":true "x"}', 'expected "," or "}", found "\\"" at line 1, column 15'],
    ['{"manyStrings":["a" "b"]}', 'expected "," or "]", found "\\"" at line 1, column 21'],
    [
      '{"manyStrings":["a",]}',
      'expected a value, found "]" at line 1, column 21: remove the comma before it',
    ],
    ['{"aBool":tru}', 'expected a value, found "t" at line 1, column 10'],
    ['{"aBool":}', 'expected a value, found "}" at line 1, column 10'],
    ['{"anInt32":-}', 'expected a number, found "-" at line 1, column 12'],
    ['{"anInt32":01}', 'expected "," or "}", found "1" at line 1, column 13'],
    ['{"anInt32":+1}', 'expected a value, found "+" at line 1, column 12'],
    ['{"anInt32":.5}', 'expected a value, found "." at line 1, column 12'],
    ['{"anInt32":1.}', 'expected "," or "}", found "." at line 1, column 13'],
    [
      '{"aString":"a\nb"}',
      'expected the rest of a string (control characters must be escaped), found "\\n" at line 1, column 14',
    ],
    [
      '{"aString":"a',
      "expected the rest of a string (control characters must be escaped), found the end at line 1, column 14",
    ],
    ['{"aString":"\\', 'expected a terminated string, found "\\"" at line 1, column 12'],
    [
      '{"aString":"\\x"}',
      'expected a string with valid escapes and no control characters, found "\\"" at line 1, column 12',
    ],
    [
      '{"aString":"\\n\n"}',
      'expected a string with valid escapes and no control characters, found "\\"" at line 1, column 12',
    ],
    ["{'aBool':true}", 'expected a member name in quotes, found "\'" at line 1, column 2'],
    ['{"aValue":nul}', 'expected a value, found "n" at line 1, column 11'],
    ['{"aValue":\u20ac}', 'expected a value, found "\u20ac" at line 1, column 11'],
    [
      '{"aValue":{"a":1,}}',
      'expected a member name in quotes, found "}" at line 1, column 18: remove the comma before it',
    ],
    ['{"aValue":[,1]}', 'expected a value, found "," at line 1, column 12'],
    ["NaN", 'expected a value, found "N" at line 1, column 1'],
    ["/**/{}", 'expected a value, found "/" at line 1, column 1'],
  ])("%j", (json, message) => {
    expect(fault(json)).toBe(`: not valid JSON: ${message}`);
  });
});

describe("an error for invalid JSON values has the path", () => {
  test.each([
    ["[]", "", "must be a JSON object"],
    ["5", "", "must be a JSON object"],
    ['{"aBool":"true"}', "aBool", "must be true or false"],
    ['{"aBool":1}', "aBool", "must be true or false"],
    ['{"aString":1}', "aString", "must be a string"],
    ['{"aString":"\\ud800"}', "aString", "must be valid Unicode, without lone surrogates"],
    ['{"\\ud800":1}', "", "must be valid Unicode, without lone surrogates"],
    ['{"aBool":true,"\\ud800":1}', "", "must be valid Unicode, without lone surrogates"],
    ['{"aValue":{"\\ud800":1}}', "aValue", "must be valid Unicode, without lone surrogates"],
    ['{"aValue":{"a":1,"\\ud800":1}}', "aValue", "must be valid Unicode, without lone surrogates"],
    ['{"someBytes":"a"}', "someBytes", "must be base64"],
    ['{"someBytes":1}', "someBytes", "must be base64 in a string"],
    ['{"aDouble":"1.5"}', "aDouble", "must be a number, not a string"],
    ['{"aDouble":"+Infinity"}', "aDouble", "must be a number, not a string"],
    ['{"aDouble":"NaN1"}', "aDouble", "must be a number, not a string"],
    ['{"aDouble":true}', "aDouble", "must be a number"],
    ['{"aDouble":1e309}', "aDouble", "must be a 64-bit number, NaN, Infinity or -Infinity"],
    ['{"aFloat":3.5e38}', "aFloat", "must be a 32-bit number, NaN, Infinity or -Infinity"],
    ['{"aSample":{"aSample":{"aBool":0}}}', "aSample.aSample.aBool", "must be true or false"],
    [
      '{"manySamples":[{},{"manyStrings":["a",2]}]}',
      "manySamples[1].manyStrings[1]",
      "must be a string",
    ],
    ['{"manyInt64":5}', "manyInt64", "must be a JSON array"],
    ['{"byString":[]}', "byString", "must be a JSON object"],
    [
      '{"byString":{"k":"v"}}',
      "byString.k",
      "must be a JSON integer between -9223372036854775808 and 9223372036854775807",
    ],
    ['{"byString":{"k":1,"k":1}}', "byString.k", "is given twice; send it once"],
    [
      '{"byInt32":{"01":"x"}}',
      "byInt32.01",
      "must be an integer between -2147483648 and 2147483647 in plain decimal",
    ],
    ['{"byBool":{"1":"novel"}}', "byBool.1", "must be true or false"],
    ['{"aBool":true,"aBool":true}', "aBool", "is given twice; send it once"],
    [
      '{"aBool":true,"a_bool":true}',
      "a_bool",
      'is given twice, as "aBool" and "a_bool"; send it once',
    ],
    [
      '{"choiceInt64":1,"choiceString":"x"}',
      "choiceString",
      "only one of choiceInt64, choiceString, choiceSample, choiceNull, choiceWrapped, choiceStruct may be given",
    ],
    ['{"aSample":[]}', "aSample", "must be a JSON object"],
    ['{"aStruct":[]}', "aStruct", "must be a JSON object"],
    ['{"aListValue":{}}', "aListValue", "must be a JSON array"],
    ['{"aStruct":{"a":1,"a":1}}', "aStruct.a", "is given twice; send it once"],
    ['{"aValue":1e309}', "aValue", "must be in the range of a 64-bit floating-point number"],
    ['{"wrappedBool":{"value":true}}', "wrappedBool", "must be true or false"],
    [
      '{"manyWrapped":[1,"2"]}',
      "manyWrapped[1]",
      "must be a JSON integer between -9223372036854775808 and 9223372036854775807",
    ],
    [`{"${"x".repeat(80)}":1}`, "x".repeat(80), /^unknown field; use one of aDouble, aFloat, /],
    [`{"${"x".repeat(81)}":1}`, `${"x".repeat(80)}…`, /^unknown field; use one of aDouble, /],
    ['{"aSample":{"__proto__":1}}', "aSample.__proto__", /^unknown field/],
    ['{"aSample":{"constructor":1}}', "aSample.constructor", /^unknown field/],
    ['{"anEmpty":{"x":1}}', "anEmpty.x", "unknown field; this message has no fields"],
  ])("%s", (json, path, reason) => {
    const [, actualPath, message] = /^([^:]*): (.*)$/s.exec(fault(json)) ?? [];
    expect(actualPath).toBe(path);
    if (typeof reason === "string") expect(message).toBe(reason);
    else expect(message).toMatch(reason);
  });
});

describe("depth", () => {
  const nested = (levels: number) =>
    `${'{"aSample":'.repeat(levels - 1)}{}${"}".repeat(levels - 1)}`;
  const lists = (levels: number) => `{"aValue":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}}`;

  test("32 levels are read, 33 are rejected", () => {
    expect(fault(nested(32))).toBe("no fault");
    expect(fault(nested(33))).toMatch(/: must have at most 32 levels of nesting$/);
    expect(fault(lists(32))).toBe("no fault");
    expect(fault(lists(33))).toMatch(/: must have at most 32 levels of nesting$/);
  });

  test("decreases after each object and array", () => {
    expect(fault(`{"manySamples":[${Array(100).fill("{}").join()}]}`)).toBe("no fault");
  });

  test("a megabyte of brackets is rejected without reading it all", () => {
    expect(fault(lists(1_000_000))).toMatch(/levels of nesting/);
  });
});

describe("bytes", () => {
  const utf8 = (...bytes: number[]) =>
    Uint8Array.from([...Buffer.from('{"aString":"'), ...bytes, ...Buffer.from('"}')]);

  test("are read as UTF-8", () => {
    expect(sample(utf8(0xe2, 0x82, 0xac)).aString).toBe("€");
    expect(sample(Buffer.from('xx{"aBool":true}xx').subarray(2, -2)).aBool).toBe(true);
  });

  test.each([
    [[0xff]],
    [[0xc0, 0xaf]],
    [[0xed, 0xa0, 0x80]],
    [[0xe2, 0x82]],
    [[0xf4, 0x90, 0x80, 0x80]],
  ])("that are not UTF-8 are rejected: %j", (bytes) => {
    expect(fault(utf8(...bytes))).toBe(": must be UTF-8");
  });

  test("a lone surrogate in a text is rejected", () => {
    expect(fault('{"aString":"\ud800"}')).toBe(": must be valid Unicode, without lone surrogates");
  });

  test("one byte order mark is skipped", () => {
    expect(sample('\ufeff{"aBool":true}').aBool).toBe(true);
    expect(sample(Buffer.from('\ufeff{"aBool":true}')).aBool).toBe(true);
    expect(fault("\ufeff\ufeff{}")).toMatch(/^: not valid JSON/);
  });
});

test("an error has a path and a reason", () => {
  expect(textOf(new InvalidInput("is odd", "a.b"))).toBe("a.b: is odd");
  expect(textOf(new InvalidInput("is odd"))).toBe("is odd");
  expect(`${new InvalidInput("is odd")}`).toBe("InvalidInput: is odd");
});

test("only the white space of JSON is skipped", () => {
  expect(fault(' \t\r\n{ \t\r\n"aBool" \n: \ttrue \r}\n')).toBe("no fault");
  for (const space of ["\u00a0", "\u2028", "\f", "\v"]) {
    expect(fault(`{${space}}`)).toMatch(/not valid JSON/);
  }
});
