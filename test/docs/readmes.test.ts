import { existsSync, globSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, it } from "vitest";

const root = join(import.meta.dirname, "../..");

const read = (path: string) => readFileSync(join(root, path), "utf8");

/** Returns the names in backticks in one column of a table. */
function namesIn(text: string, column: number): string[] {
  const rows = text.split("\n").filter((line) => line.startsWith("| "));
  return rows.flatMap((row) =>
    [...(row.split("|")[column] ?? "").matchAll(/`([\w.-]+)`/g)].map(([, name = ""]) => name),
  );
}

/** Returns the TypeScript files of a folder and its folders. */
const filesOf = (folder: string) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".ts"),
  );

describe("the README of a folder of src that lists its files", () => {
  const listing = globSync("src/*/README.md", { cwd: root }).filter((path) =>
    /^\| Part \| Files \|$/m.test(read(path)),
  );

  it("exists", () => {
    expect(listing.length).toBeGreaterThan(2);
  });

  it.each(listing)("%s names each file once, and no other", (path) => {
    const names = filesOf(dirname(path)).map((file) => basename(file, ".ts"));
    expect(namesIn(read(path), 2).sort()).toEqual(names.sort());
  });
});

it("test/README.md names each folder of test once", () => {
  const folders = readdirSync(join(root, "test"), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
  const [table = ""] = /^\| Folder .*?\n\n/ms.exec(read("test/README.md")) ?? [];
  const named = namesIn(table, 1).filter((name) => !name.endsWith(".ts"));
  expect(named.sort()).toEqual(folders.sort());
});

it("tsconfig.json excludes only folders that exist", () => {
  const { exclude } = JSON.parse(read("tsconfig.json")) as { exclude: string[] };
  expect(exclude.length).toBeGreaterThan(0);
  expect(exclude.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});
