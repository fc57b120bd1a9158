import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { trackedFiles } from "../support/tracked-files.ts";

const root = join(import.meta.dirname, "../..");

test(".gitattributes marks the files that say that they are generated", () => {
  const input = trackedFiles().join("\n");
  const args = ["check-attr", "--stdin", "linguist-generated"];
  const marked = execFileSync("git", args, { cwd: root, input, encoding: "utf8" })
    .split("\n")
    .filter((line) => line.endsWith(": set"))
    .map((line) => line.replace(/: linguist-generated: set$/, ""));
  const generated = trackedFiles("*.ts", "*.go").filter((file) =>
    /^\/\/ (?:@generated|Code generated)/m.test(readFileSync(join(root, file), "utf8")),
  );
  expect(generated.length).toBeGreaterThan(20);
  expect(marked).toEqual(expect.arrayContaining(generated));
});

test("each path of .gitattributes and CODEOWNERS names files", () => {
  const lines = [".gitattributes", ".github/CODEOWNERS"].flatMap((file) =>
    readFileSync(join(root, file), "utf8").split("\n"),
  );
  const paths = lines.filter((line) => /^[^#]/.test(line)).map((line) => line.replace(/ .*/, ""));
  expect(paths.length).toBeGreaterThan(5);
  expect(
    paths.filter((path) => trackedFiles(`:(glob)${path}`, `:(glob)**/${path}`)[0] === ""),
  ).toEqual([]);
});

test.each(["packages/connect-gateway/package.json", "clients/typescript/package.json"])(
  "%s has the repository of the project, with its folder",
  (file) => {
    const { repository, bugs } = JSON.parse(readFileSync(join(root, file), "utf8"));
    const directory = dirname(file);
    expect({ repository, bugs }).toEqual({
      repository: { ...manifest.repository, directory },
      bugs: manifest.bugs,
    });
  },
);
