import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

function read(path: string): string {
  return readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
}

test("performance.md says why targets are missed, of exactly those that bench/results.md misses", () => {
  const rows = read("bench/results.md").matchAll(/^\| ([\w-]+) \|.*\| missed \|$/gm);
  const [, section = ""] = read("docs/contributor/performance.md").split("\n## Missed targets\n");
  const [table = ""] = section.split("\n## ");
  const reasons = [...table.matchAll(/^\|([^|]+)\|/gm)].flatMap(([, cell = ""]) =>
    [...cell.matchAll(/`([\w-]+)`/g)].map(([, name]) => name),
  );
  const missed = new Set(Array.from(rows, ([, name]) => name));
  expect(new Set(reasons)).toEqual(missed);
});
