import { existsSync, globSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");

const read = (path: string) => readFileSync(join(root, path), "utf8");

const filesTable = (text: string) =>
  /^\| Part \| Files \|$.*?(?:\n\n|$(?!\n))/ms.exec(text)?.[0] ?? "";

/** Returns the names in backticks in one column of a table. */
function namesIn(text: string, column: number): string[] {
  const rows = text.split("\n").filter((line) => line.startsWith("| "));
  return rows.flatMap((row) =>
    [...(row.split("|")[column] ?? "").matchAll(/`([\w.-]+)`/g)].map(([, name = ""]) => name),
  );
}

describe("the README of a folder that lists its files", () => {
  const listing = globSync("{src,packages}/**/README.md", { cwd: root }).filter((path) =>
    /^\| Part \| Files \|$/m.test(read(path)),
  );

  /** Returns the TypeScript files of a folder and its folders, without those of folders with a list of their own. */
  const filesOf = (folder: string) =>
    globSync(`${folder}/**/*.ts`, { cwd: root }).filter((file) =>
      listing
        .map(dirname)
        .filter((other) => other.startsWith(`${folder}/`))
        .every((other) => !file.startsWith(`${other}/`)),
    );

  test("exists", () => {
    expect(listing.length).toBeGreaterThan(2);
  });

  test.each(listing)("%s names each file once, and no other", (path) => {
    const names = filesOf(dirname(path)).map((file) => basename(file, ".ts"));
    expect(namesIn(filesTable(read(path)), 2).sort()).toEqual(names.sort());
  });
});

test("packages/connect-gateway/src/server/node-internals/README.md names each assumption about node, and each has a test of that name", () => {
  const items = read("packages/connect-gateway/src/server/node-internals/README.md").matchAll(
    /^- (.*?): `/gm,
  );
  const assumptions = [...items].map(([, name = ""]) => name);
  const tests = globSync("packages/connect-gateway/test/server/node-internals/*.test.ts", {
    cwd: root,
  }).flatMap((path) =>
    [...read(path).matchAll(/^ *"?(?:test(?:\.each\(.*\))?\()?\s*"([^"]+)",/gm)].map(
      ([, name = ""]) => name,
    ),
  );
  expect(tests.map((name) => name.replace(/: %s$/, "")).sort()).toEqual(assumptions.sort());
});

test("test/README.md names each folder of test once", () => {
  const folders = readdirSync(join(root, "test"), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
  const [table = ""] = /^\| Folder .*?\n\n/ms.exec(read("test/README.md")) ?? [];
  const named = namesIn(table, 1).filter((name) => !name.endsWith(".ts"));
  expect(named.sort()).toEqual(folders.sort());
});

test("CONTRIBUTING.md names the programs and versions that the files of the project need", () => {
  const [, go] = /^go (\d+\.\d+)/m.exec(read("clients/go/go.mod")) ?? [];
  const [, python] =
    /^requires-python = ">=(.*)"$/m.exec(read("clients/python/pyproject.toml")) ?? [];
  const [, java] = /<maven.compiler.release>(\d+)</.exec(read("clients/java/pom.xml")) ?? [];
  const [setUp = ""] = /^## Set up$.*?^## /ms.exec(read("CONTRIBUTING.md")) ?? [];
  const needed = [`Node ${read(".nvmrc").trim()}`, `Go ${go}`, `Python ${python}`, `JDK ${java}`];
  expect(needed.filter((name) => !setUp.includes(name))).toEqual([]);
});

test("tsconfig.json excludes only folders that exist", () => {
  const { exclude } = JSON.parse(read("tsconfig.json")) as { exclude: string[] };
  expect(exclude.length).toBeGreaterThan(0);
  expect(exclude.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});
