import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { directoryOfTest } from "../support/directory.ts";

const root = join(import.meta.dirname, "../..");

/** Lints a source file as a part of `src`. Returns the lines of which a plugin complains. */
function found(source: string): number[] {
  const directory = directoryOfTest();
  const config = JSON.parse(readFileSync(join(root, "biome.json"), "utf8"));
  writeFileSync(join(directory, "biome.json"), JSON.stringify({ overrides: config.overrides }));
  cpSync(join(root, "test/lint"), join(directory, "test/lint"), { recursive: true });
  mkdirSync(join(directory, "src"));
  writeFileSync(join(directory, "src/planted.ts"), source);
  const biome = join(root, "node_modules/.bin/biome");
  const args = ["lint", "--reporter=github", "--max-diagnostics=none"];
  const { stdout, error } = spawnSync(biome, args, { cwd: directory, encoding: "utf8" });
  if (error) throw error;
  return [...stdout.matchAll(/title=plugin,.*?line=(\d+)/g)].map(([, line]) => Number(line));
}

const refused = [
  "a.push(...b);",
  "a?.push(1, ...b);",
  "a.unshift(...(await b));",
  "Math.max(0, ...b.map(Number));",
  "String.fromCharCode(...b);",
  "new Foo(...b);",
  "Math.max.apply(null, b);",
  "Reflect.apply(Math.max, null, b);",
  "f((...c) => { g(...b); });",
  "f.bind(null, ...b);",
];

const allowed = [
  "f([...b], { ...c });",
  "const d = (...rest) => f(...rest);",
  "function e(...rest) { return () => f(1, ...rest); }",
  "class F { g(...rest) { super.g(...rest); } }",
  "const [first, ...others] = b;",
  "redis.hmget(key, ...fields);",
];

test("a call with a spread argument of any length fails the lint", () => {
  const numbers = (lines: readonly string[]) => lines.map((_, index) => index + 1);
  expect([found(refused.join("\n")), found(allowed.join("\n"))]).toEqual([numbers(refused), []]);
});
