import { expect, test } from "vitest";
import type { Connection } from "../../../src/stores/redis/connection/connection.ts";
import { luaFiles } from "../../../src/stores/redis/lua-files.ts";
import { createLinker } from "../../../src/stores/redis/lua-imports.ts";
import { declaredClass, loadScript } from "../../../src/stores/redis/scripts.ts";

const connection = { run: () => Promise.reject(new Error()) } as unknown as Connection;
const clock = "local function clock()\n  return 1\nend\n";
const stock = "-- import: clock\nlocal function newest()\n  return clock()\nend\n";

function link(script: string) {
  const files = new Map(Object.entries({ clock, stock, script }));
  return createLinker(files, ["LIMIT"])("script");
}

test("a script follows its libraries, each of which is there once after its own", () => {
  const script = "-- import: stock clock\nreturn newest() + clock() + LIMIT\n";
  expect(link(script)).toBe([clock, stock, script].join("\n"));
});

test("a library that does not exist is an error with its name", () => {
  expect(() => link("-- import: clocks\nreturn clocks()")).toThrow("there is no clocks.lua");
});

test.each([
  ["a function of a library", "return newest()", "newest"],
  ["a function of a library's library", "-- import: stock\nreturn newest() + clock()", "clock"],
  ["a value in an argument", "local a = string.rep('x', most)\nreturn a", "most"],
  ["a constant that is misspelled", "return LIMITS", "LIMITS"],
])("%s without its import is an error with its name", (_, script, name) => {
  expect(() => link(script)).toThrow(`script.lua uses ${name} without an import of it`);
});

test("names in comments, strings, fields, keys and parameters need no import", () => {
  const script = `-- newest
local t = { newest = 'newest \\' clock', LIMIT }
local function of(newest, at)
  return t.clock, newest, at
end
for i, each in ipairs(t) do of(i, each) end
`;
  expect(link(script)).toContain(script);
});

test("an import that is not used is an error", () => {
  expect(() => link("-- import: clock\nreturn 1")).toThrow(
    "script.lua imports clock without a use of it",
  );
});

test("a loader fails for a name without a file", () => {
  expect(() => loadScript(connection, "missing")).toThrow("there is no missing.lua");
});

test("every Lua file names what it uses", () => {
  const scripts = [...luaFiles].filter(([, lua]) => declaredClass(lua));
  expect(scripts.length).toBeGreaterThan(50);
  for (const [name] of scripts) expect(() => loadScript(connection, name)).not.toThrow();
});

test("every script declares what it does when Redis is full, and no library does", () => {
  const imported = [...luaFiles.values()].flatMap(
    (lua) => /^-- import: (.+)$/m.exec(lua)?.[1]?.split(" ") ?? [],
  );
  const undeclared = [...luaFiles].filter(([, lua]) => declaredClass(lua) === undefined);
  expect(undeclared.map(([name]) => name).sort()).toEqual([...new Set(imported)].sort());
});

test("a script without a class is an error with its name", () => {
  expect(() => loadScript(connection, "clock")).toThrow(
    'clock.lua needs a line "-- class: reads|frees|stores"',
  );
});
