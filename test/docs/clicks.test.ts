import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { trackedFiles } from "../support/tracked-files.ts";

const root = join(import.meta.dirname, "../..");

const pages = new Set(trackedFiles("*.md"));

const read = (page: string) => readFileSync(join(root, page), "utf8");

/** A question of a reader, the page or section that answers it, and a part of the answer. */
const answers: readonly (readonly [question: string, target: string, answer: RegExp])[] = [
  ["How do I call it from Go?", "clients/go/README.md", /^import \(/m],
  ["Which headers are there?", "docs/caller/clients.md#headers", /Retry-After/],
  ["How do I rotate a key?", "docs/caller/authentication.md#rotate-a-key", /keys rotate/],
  [
    "How do I run it on Kubernetes with a Redis Cluster?",
    "docs/operator/deployment.md#kubernetes",
    /deploy\/kubernetes\/cluster/,
  ],
  ["What happens if Redis dies?", "docs/operator/operation.md#outages-of-redis", /503/],
  ["How do I add a method?", "CONTRIBUTING.md#add-an-operation", /npm run generate/],
  ["What do I do after a 409?", "docs/caller/errors.md#409-conflict", /Read the current state/],
  ["How do I restore a backup?", "docs/operator/disaster-recovery.md", /start\.js restore /],
];

/** The pages and sections that a page links to. */
function linksOf(page: string): string[] {
  const links = read(page).matchAll(/\]\((?!https?:|mailto:)([^)#\s]*)(#[^)\s]+)?\)/g);
  return [...links].map(
    ([, path = "", anchor = ""]) => (path === "" ? page : join(dirname(page), path)) + anchor,
  );
}

/** @returns how many links a reader of `page` follows to get to the target, or Infinity if there are more than two */
function clicksTo(target: string, page: string): number {
  const links = linksOf(page);
  if (links.includes(target)) return 1;
  const next = links.map((link) => link.replace(/#.*/, "")).filter((path) => pages.has(path));
  return next.some((path) => linksOf(path).includes(target)) ? 2 : Number.POSITIVE_INFINITY;
}

/** The text under a heading of a page, or the whole page. */
function textOf(target: string): string {
  const [page = "", anchor] = target.split("#");
  if (anchor === undefined) return read(page);
  const sections = read(page).split(/^(?=## )/m);
  const isSection = (text: string) =>
    text
      .split("\n", 1)[0]
      ?.toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, "")
      .trim()
      .replaceAll(" ", "-") === anchor;
  return sections.find(isSection) ?? "";
}

describe.each(answers)("%s", (_question, target, answer) => {
  it("is answered two clicks from README", () => {
    expect(clicksTo(target, "README.md")).toBeLessThanOrEqual(2);
  });

  it("has its answer there", () => {
    expect(textOf(target)).toMatch(answer);
  });
});

it("counts clicks", () => {
  expect(clicksTo("docs/caller/concepts.md", "README.md")).toBe(1);
  expect(clicksTo("docs/caller/concepts.md#ids-in-json", "README.md")).toBe(2);
  expect(clicksTo("docs/caller/none.md", "README.md")).toBe(Number.POSITIVE_INFINITY);
});
