import { describe, expect, test } from "vitest";
import { InvalidInput, describe as tell } from "../../src/rest/invalid-input.ts";
import { protoJson } from "../../src/rest/json-form.ts";
import { fault, sample } from "./support/faults.ts";

describe("what is not JSON is told by line and column", () => {
  test.each([
    ["", "expected a value, found the end at line 1, column 1"],
    ["{", "expected a member's name in quotes, found the end at line 1, column 2"],
    ["{}}", 'expected the end, found "}" at line 1, column 3'],
    ["{} x", 'expected the end, found "x" at line 1, column 4'],
    [
      '{\n  "aBool": true,\n}',
      'expected a member\'s name in quotes, found "}" at line 3, column 1',
    ],
    ['{"aBool" true}', 'expected ":", found "t" at line 1, column 10'],
    ['{"aBool":true "x"}', 'expected "," or "}", found "\\"" at line 1, column 15'],
    ['{"manyStrings":["a" "b"]}', 'expected "," or "]", found "\\"" at line 1, column 21'],
    ['{"manyStrings":["a",]}', 'expected a value, found "]" at line 1, column 21'],
    ['{"aBool":tru}', 'expected a value, found "t" at line 1, column 10'],
    ['{"aBool":}', 'expected a value, found "}" at line 1, column 10'],
    ['{"anInt32":-}', 'expected a number, found "-" at line 1, column 12'],
    ['{"anInt32":01}', 'expected "," or "}", found "1" at line 1, column 13'],
    ['{"anInt32":+1}', 'expected a value, found "+" at line 1, column 12'],
    ['{"anInt32":.5}', 'expected a value, found "." at line 1, column 12'],
    ['{"anInt32":1.}', 'expected "," or "}", found "." at line 1, column 13'],
    [
      '{"aString":"a\nb"}',
      'expected the rest of a string, with control characters escaped, found "\\n" at line 1, column 14',
    ],
    [
      '{"aString":"a',
      "expected the rest of a string, with control characters escaped, found the end at line 1, column 14",
    ],
    ['{"aString":"\\', 'expected a string that ends, found "\\"" at line 1, column 12'],
    [
      '{"aString":"\\x"}',
      'expected a string with valid escapes and no control characters, found "\\"" at line 1, column 12',
    ],
    [
      '{"aString":"\\n\n"}',
      'expected a string with valid escapes and no control characters, found "\\"" at line 1, column 12',
    ],
    ["{'aBool':true}", "expected a member's name in quotes, found \"'\" at line 1, column 2"],
    ['{"aValue":nul}', 'expected a value, found "n" at line 1, column 11'],
    ['{"aValue":\u20ac}', 'expected a value, found "\u20ac" at line 1, column 11'],
    ['{"aValue":{"a":1,}}', 'expected a member\'s name in quotes, found "}" at line 1, column 18'],
    ["NaN", 'expected a value, found "N" at line 1, column 1'],
    ["/**/{}", 'expected a value, found "/" at line 1, column 1'],
  ])("%j", (json, message) => {
    expect(fault(json)).toBe(`: not valid JSON: ${message}`);
  });
});

describe("what is JSON, but not right, is told by its path", () => {
  test.each([
    ["[]", "", "must be a JSON object"],
    ["5", "", "must be a JSON object"],
    ['{"aBool":"true"}', "aBool", "must be true or false"],
    ['{"aBool":1}', "aBool", "must be true or false"],
    ['{"aString":1}', "aString", "must be a string"],
    ['{"aString":"\\ud800"}', "aString", "has a lone surrogate"],
    ['{"\\ud800":1}', "", "has a lone surrogate"],
    ['{"aBool":true,"\\ud800":1}', "", "has a lone surrogate"],
    ['{"aValue":{"\\ud800":1}}', "aValue", "has a lone surrogate"],
    ['{"aValue":{"a":1,"\\ud800":1}}', "aValue", "has a lone surrogate"],
    ['{"someBytes":"a"}', "someBytes", "must be base64"],
    ['{"someBytes":1}', "someBytes", "must be base64 in a string"],
    ['{"aDouble":"1.5"}', "aDouble", "must be a number, not a string"],
    ['{"aDouble":"+Infinity"}', "aDouble", "must be a number, not a string"],
    ['{"aDouble":"NaN1"}', "aDouble", "must be a number, not a string"],
    ['{"aDouble":true}', "aDouble", "must be a number"],
    ['{"aDouble":1e309}', "aDouble", "must be a number of 64 bits, NaN, Infinity or -Infinity"],
    ['{"aFloat":3.5e38}', "aFloat", "must be a number of 32 bits, NaN, Infinity or -Infinity"],
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
    ['{"byString":{"k":1,"k":1}}', "byString.k", "given twice"],
    [
      '{"byInt32":{"01":"x"}}',
      "byInt32.01",
      "must be an integer between -2147483648 and 2147483647 in plain decimal",
    ],
    ['{"byBool":{"1":"novel"}}', "byBool.1", "must be true or false"],
    ['{"aBool":true,"aBool":true}', "aBool", "given twice"],
    ['{"aBool":true,"a_bool":true}', "a_bool", "given twice"],
    [
      '{"choiceInt64":1,"choiceString":"x"}',
      "choiceString",
      "only one of choiceInt64, choiceString, choiceSample, choiceNull, choiceWrapped, choiceStruct may be given",
    ],
    ['{"aSample":[]}', "aSample", "must be a JSON object"],
    ['{"aStruct":[]}', "aStruct", "must be a JSON object"],
    ['{"aListValue":{}}', "aListValue", "must be a JSON array"],
    ['{"aStruct":{"a":1,"a":1}}', "aStruct.a", "given twice"],
    ['{"aValue":1e309}', "aValue", "is out of range"],
    ['{"wrappedBool":{"value":true}}', "wrappedBool", "must be true or false"],
    [
      '{"manyWrapped":[1,"2"]}',
      "manyWrapped[1]",
      "must be a JSON integer between -9223372036854775808 and 9223372036854775807",
    ],
    [`{"${"x".repeat(80)}":1}`, "x".repeat(80), /^no such field; known here: aDouble, aFloat, /],
    [`{"${"x".repeat(81)}":1}`, `${"x".repeat(80)}…`, /^no such field; known here: aDouble, /],
    ['{"aSample":{"__proto__":1}}', "aSample.__proto__", /^no such field/],
    ['{"aSample":{"constructor":1}}', "aSample.constructor", /^no such field/],
    ['{"anEmpty":{"x":1}}', "anEmpty.x", "no such field; known here: none"],
  ])("%s", (json, path, reason) => {
    const [, toldPath, told] = /^([^:]*): (.*)$/s.exec(fault(json)) ?? [];
    expect(toldPath).toBe(path);
    if (typeof reason === "string") expect(told).toBe(reason);
    else expect(told).toMatch(reason);
  });

  test.each([
    ['{"anInt32":""}', "anInt32"],
    ['{"anInt32":" 1"}', "anInt32"],
    ['{"anInt32":"0x1"}', "anInt32"],
    ['{"anInt32":"1.5"}', "anInt32"],
    ['{"anInt64":"9223372036854775808"}', "anInt64"],
    ['{"aDouble":"1,5"}', "aDouble"],
    ['{"aDouble":"inf"}', "aDouble"],
  ])("a string that is no number, in protoJson: %s", (json, path) => {
    expect(fault(json, protoJson)).toMatch(new RegExp(`^${path}: must be a`));
  });
});

describe("depth", () => {
  const nested = (levels: number) =>
    `${'{"aSample":'.repeat(levels - 1)}{}${"}".repeat(levels - 1)}`;
  const lists = (levels: number) => `{"aValue":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}}`;

  test("32 levels are read, 33 are not", () => {
    expect(fault(nested(32))).toBe("no fault");
    expect(fault(nested(33))).toMatch(/: is nested deeper than 32 levels$/);
    expect(fault(lists(32))).toBe("no fault");
    expect(fault(lists(33))).toMatch(/: is nested deeper than 32 levels$/);
  });

  test("is counted down again", () => {
    expect(fault(`{"manySamples":[${Array(100).fill("{}").join()}]}`)).toBe("no fault");
  });

  test("a megabyte of brackets is refused at once", () => {
    expect(fault(lists(1_000_000))).toMatch(/deeper/);
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
  ])("that are not UTF-8 are refused: %j", (bytes) => {
    expect(fault(utf8(...bytes))).toBe(": is not UTF-8");
  });

  test("a lone surrogate in a text is refused", () => {
    expect(fault('{"aString":"\ud800"}')).toBe(": has a lone surrogate");
  });

  test("one byte order mark is read over", () => {
    expect(sample('\ufeff{"aBool":true}').aBool).toBe(true);
    expect(sample(Buffer.from('\ufeff{"aBool":true}')).aBool).toBe(true);
    expect(fault("\ufeff\ufeff{}")).toMatch(/^: not valid JSON/);
  });
});

test("an error is told as path and reason", () => {
  expect(tell(new InvalidInput("is odd", "a.b"))).toBe("a.b: is odd");
  expect(tell(new InvalidInput("is odd"))).toBe("is odd");
  expect(`${new InvalidInput("is odd")}`).toBe("InvalidInput: is odd");
});

test("white space is what JSON says it is", () => {
  expect(fault(' \t\r\n{ \t\r\n"aBool" \n: \ttrue \r}\n')).toBe("no fault");
  for (const space of ["\u00a0", "\u2028", "\f", "\v"]) {
    expect(fault(`{${space}}`)).toMatch(/not valid JSON/);
  }
});
