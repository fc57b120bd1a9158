import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { trackedFiles } from "../support/tracked-files.ts";

const root = join(import.meta.dirname, "../..");

/** Pages that a program writes. */
const generated = [
  "bench/cluster.md",
  "bench/results.md",
  "bench/scale.md",
  "docs/caller/errors.md",
  "docs/operator/cli.md",
  "docs/operator/configuration.md",
  "docs/operator/logs.md",
  "docs/operator/metrics.md",
];

/** Maximum number of words of all pages that people write, with their examples. A new page needs room in the others. */
const maxWords = 36_000;

it(`the written pages have at most ${maxWords} words`, () => {
  const pages = trackedFiles("*.md").filter((page) => !generated.includes(page));
  const words = pages.map((page) => {
    const text = readFileSync(join(root, page), "utf8");
    return [page, text.trim().split(/\s+/).length] as const;
  });
  const total = words.reduce((sum, [, count]) => sum + count, 0);
  const longest = words.sort(([, a], [, b]) => b - a).slice(0, 10);
  expect(total, `the longest pages: ${JSON.stringify(longest)}`).toBeLessThanOrEqual(maxWords);
});

it("each generated page exists", () => {
  expect(trackedFiles(...generated)).toEqual(generated);
});
