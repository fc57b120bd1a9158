import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const root = join(import.meta.dirname, "../..");

const read = (path: string) => readFileSync(join(root, path), "utf8");

/** Code without the indentation of its lines. */
const withoutIndent = (code: string) => code.replace(/^ +/gm, "");

/** A file that `npm run test:clients` runs. */
const tested = withoutIndent(read("test/clients/typescript/connect.example.ts"));

/** The code blocks that are not console sessions. openings.slow.test.ts types the sessions. */
function snippetsIn(markdown: string): string[] {
  const blocks = markdown.matchAll(/^```([^\n]*)\n(.*?)^```$/gms);
  return [...blocks].flatMap(([, language, code = ""]) =>
    language === "console" ? [] : [withoutIndent(code)],
  );
}

// The commands of console.md open a browser.
const pages = globSync("docs/caller/*.md", { cwd: root, exclude: ["docs/caller/console.md"] });

it.each(pages.sort())("%s has only code that a test runs", (page) => {
  expect(snippetsIn(read(page)).filter((code) => !tested.includes(code))).toEqual([]);
});

it("finds code", () => {
  expect(snippetsIn("```console\n$ a\n```\n\n```ts\n  b\n```\n\n```\nc\n```\n")).toEqual([
    "b\n",
    "c\n",
  ]);
});
