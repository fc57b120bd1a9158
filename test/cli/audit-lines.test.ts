import fc from "fast-check";
import { expect, test } from "vitest";
import { entryLine } from "../../src/cli/audit/audit-lines.ts";

const entryWith = (body: string) => ({ sequence: 1, time: 5, body });
const forged = entryLine(entryWith('{"kind":"call"}'));

test.each(['{"kind":"call","method":"\u00e9"}', "{}"])(
  "a line has the object %j as it is",
  (body) => {
    const text = entryLine(entryWith(body));
    expect(text).toBe(`{"sequence":1,"time":5,"entry":${body}}`);
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
  const text = entryLine(entryWith(body));
  expect(text).not.toMatch(/[\p{Cc}\u2028\u202e]/u);
  expect(JSON.parse(text)).toEqual({ sequence: 1, time: 5, entry: body });
});

test("any text stays in one line", () => {
  const texts = fc.oneof(
    fc.string({ unit: "grapheme" }),
    fc.json().map((json) => `{"a":${json}}`),
  );
  fc.assert(
    fc.property(texts, (body) => {
      const text = entryLine(entryWith(body));
      expect(text).not.toMatch(/[\r\n]/);
      const { entry, ...others } = JSON.parse(text);
      expect(others).toEqual({ sequence: 1, time: 5 });
      expect([body, JSON.stringify(JSON.parse(text).entry)]).toContainEqual(
        typeof entry === "string" ? entry : JSON.stringify(JSON.parse(body)),
      );
    }),
  );
});
