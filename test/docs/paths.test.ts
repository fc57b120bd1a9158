import { existsSync, globSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { trackedFiles } from "../support/tracked-files.ts";

const root = join(import.meta.dirname, "../..");

const pages = trackedFiles("*.md");
const code = trackedFiles("*.ts", "*.tsx", "*.js", "*.lua", "*.go", "*.sh", ".ci/run", ":!gen");

/** Folders whose files the pages name in backticks. */
const folders = readdirSync(root, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

/** Paths that tools create: they are not in a clone. */
const created = /^dist\/|\/(gen|\.venv|node_modules|target)(\/|$)|<|…/;

/** The files and folders of the project that a page names in backticks. */
function pathsIn(markdown: string): string[] {
  const quoted = [...markdown.matchAll(/`([^`\s]+)`/g)].map(([, text = ""]) => text);
  return quoted.filter(
    (text) =>
      folders.some((folder) => text.startsWith(`${folder}/`)) &&
      /^[\w.@/*-]+$/.test(text) &&
      !created.test(text),
  );
}

/** The targets of a page's links to other files of the project, and their anchors. */
function linksIn(markdown: string): { target: string; anchor: string | undefined }[] {
  return [...markdown.matchAll(/\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]+))?\)/g)].map(
    ([, target = "", anchor]) => ({ target, anchor }),
  );
}

/** The anchors that GitHub gives to the headings of a page. */
function anchorsIn(markdown: string): string[] {
  return [...markdown.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

function commentsIn(source: string): string[] {
  return source.split("\n").filter((line) => /^\s*(?:\/\/|\/?\*|#|--)/.test(line));
}

const read = (page: string) => readFileSync(join(root, page), "utf8");

const exists = (path: string) => globSync(path, { cwd: root }).length > 0;

describe.each(pages)("%s", (page) => {
  test("names files that exist", () => {
    expect(pathsIn(read(page)).filter((path) => !exists(path))).toEqual([]);
  });

  test("links to files and headings that exist", () => {
    const broken = linksIn(read(page)).filter(({ target, anchor }) => {
      const file = target === "" ? page : join(dirname(page), target);
      if (!existsSync(join(root, file))) return true;
      return anchor !== undefined && !anchorsIn(read(file)).includes(anchor);
    });
    expect(broken).toEqual([]);
  });
});

/** Where callers, operators and people in a shop find what they ask most. */
const answers = `
docs/caller/console.md#find-a-pet
docs/caller/console.md#name-a-pet
docs/caller/console.md#receive-a-delivery
docs/caller/console.md#count-a-shelf
docs/caller/console.md#see-who-changed-a-pet
docs/caller/authentication.md#get-a-key
docs/caller/concepts.md#names-and-skus
docs/caller/live.md#import
docs/caller/authentication.md#rotate-a-key
docs/caller/tasks.md#a-checkout
docs/caller/tasks.md#an-erp-that-syncs-every-five-minutes
docs/caller/troubleshooting.md#the-response-was-lost
docs/caller/errors.md#read-again-and-decide-again
docs/caller/limits.md#what-counts-as-one-request
docs/caller/concurrency.md#who-changed-what
docs/operator/operation.md#reflection
docs/operator/operation.md#outages-of-redis
docs/operator/troubleshooting.md#customers-get-429
docs/operator/troubleshooting.md#which-key-did-this
docs/operator/troubleshooting.md#redis-is-full
docs/operator/redis.md#durability
docs/operator/redis.md#sizing
docs/operator/deployment.md#without-the-internet
docs/operator/recipes.md#raise-a-limit-for-a-day
docs/operator/recipes.md#two-stocks
docs/caller/tasks.md#a-barcode-scanner`;

test("README.md leads to the answers of frequent questions by two clicks", () => {
  const targetsIn = (page: string) =>
    linksIn(read(page)).map(({ target, anchor }) => ({
      file: join(dirname(page), target),
      anchor,
    }));
  const first = targetsIn("README.md");
  const next = first
    .filter(({ file }) => file.endsWith(".md"))
    .flatMap(({ file }) => targetsIn(file));
  const reached = new Set([...first, ...next].map(({ file, anchor }) => `${file}#${anchor}`));
  expect(
    answers
      .trim()
      .split("\n")
      .filter((answer) => !reached.has(answer)),
  ).toEqual([]);
});

test("comments name files that exist", () => {
  const named = code.flatMap((file) =>
    commentsIn(read(file)).flatMap((comment) => pathsIn(comment).map((path) => ({ file, path }))),
  );
  expect(named.length).toBeGreaterThan(5);
  const broken = named.filter(
    ({ file, path }) => !exists(path) && !exists(join(dirname(file), path)),
  );
  expect(broken).toEqual([]);
});
