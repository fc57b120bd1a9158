import fc from "fast-check";
import { expect, test } from "vitest";
import { auditLine, parseAuditLine } from "../../src/cli/audit/audit-lines.ts";

const hash = "0".repeat(64);
const entryWith = (body: string) => ({ sequence: 1, time: 5, previous: hash, hash, body });
const forged = auditLine(entryWith('{"kind":"call"}')).text;

test.each(['{"kind":"call","method":"\u00e9"}', "{}"])(
  "a line has the object %j as it is",
  (body) => {
    const { text } = auditLine(entryWith(body));
    expect(text).toMatch(new RegExp(`"entry":${RegExp.escape(body)}}$`));
    expect(parseAuditLine(text)).toEqual(entryWith(body));
  },
);

test.each([
  ["a second line", `{}}\n${forged.slice(0, -1)}`],
  ["a second member", '{},"sequence":{}'],
  ["an object on two lines", '{\n"a":1}'],
  ["an object with a carriage return", '{\r"a":1}'],
  ["white space around it", " {} "],
  ["another JSON value", '"text"'],
  ["no JSON", "text"],
  ["nothing", ""],
  ["a separator of lines", '{"name":"a\u2028b"}'],
  ["a mark of direction", '{"name":"a\u202eb"}'],
  ["a control character", '{"name":"a\u009bb"}'],
])("a line has a text as a JSON string if it is or has %s", (_, body) => {
  const { text } = auditLine(entryWith(body));
  expect(text).not.toMatch(/[\p{Cc}\u2028\u202e]/u);
  expect(JSON.parse(text)).toEqual({ sequence: 1, time: 5, previous: hash, hash, entry: body });
  expect(parseAuditLine(text)).toEqual(entryWith(body));
});

test("any text is read as it was written", () => {
  const texts = fc.oneof(
    fc.string({ unit: "grapheme" }),
    fc.json().map((json) => `{"a":${json}}`),
  );
  fc.assert(
    fc.property(texts, (body) => {
      const { text } = auditLine(entryWith(body));
      expect(text).not.toMatch(/[\r\n]/);
      expect(JSON.parse(text)).toMatchObject({ sequence: 1, hash });
      expect(parseAuditLine(text)).toEqual(entryWith(body));
    }),
  );
});
