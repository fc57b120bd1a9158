import { expect, test } from "vitest";
import type { Connection } from "../../../src/stores/redis/connection/connection.ts";
import { linkScript, luaParts } from "../../../src/stores/redis/lua-parts.ts";
import { loadScript, scriptSources } from "../../../src/stores/redis/scripts.ts";

const connection = { run: () => Promise.reject(new Error()) } as unknown as Connection;

const clock = `-- The clock.

-- Returns the time.
local function clock()
  return 1
end

local state = {}
state.began = clock()

local function unused()
  return 2
end
`;
const stock = `-- Returns it.
-- class: reads
local function newest()
  return state.began
end
`;

test("a script has the parts that it uses, each once after those that it uses itself, and its call", () => {
  expect(linkScript(luaParts([stock, clock]), "newest")).toBe(
    `local function clock()
  return 1
end

local state = {}
state.began = clock()

local function newest()
  return state.began
end
return newest()
`,
  );
});

test.each([
  ["a comment", "return 2 -- unused"],
  ["a string", "return 'unused \\' unused'"],
  ["a field", "return state.unused, { unused = 1 }"],
  ["a local variable", "local unused = 1\n  return unused"],
  ["a parameter", "return function(unused) return unused end"],
])("a name in %s is not a use of a part", (_, body) => {
  const script = `-- class: reads\nlocal function script()\n  ${body}\nend\n`;
  expect(linkScript(luaParts([clock, script]), "script")).not.toContain("local function unused()");
});

test("two parts of the same name are an error with the name", () => {
  expect(() => luaParts([clock, clock])).toThrow("two parts of the Lua files have the name clock");
});

test("a script that does not exist is an error with its name", () => {
  expect(() => loadScript(connection, "no-such")).toThrow("there is no Lua function no_such");
});

test("a function without a class is no script", () => {
  expect(() => loadScript(connection, "clock")).toThrow(
    'clock needs a line "-- class: reads|frees|stores"',
  );
});

test("every script declares what it does when Redis is full", () => {
  const sources = scriptSources();
  expect(sources.size).toBeGreaterThan(50);
  for (const [name, source] of sources)
    expect(source).toMatch(new RegExp(`return ${name}\\(\\)\\n$`));
});
