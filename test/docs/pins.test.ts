import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { trackedFiles } from "../support/tracked-files.ts";

const workflows = trackedFiles(".github/workflows/*", ".github/actions/**");
const images = trackedFiles("Dockerfile", "compose.yaml", "deploy/**/*.yaml");
const read = (path: string) => readFileSync(path, "utf8");

test("there are workflows and images to check", () => {
  expect(workflows).toEqual(
    expect.arrayContaining([".github/actions/set-up/action.yml", ".github/workflows/release.yml"]),
  );
  expect(images).toContain("compose.yaml");
});

test("Dependabot updates every folder with a manifest, except the oldest Node, which stays", () => {
  const { updates } = parse(read(".github/dependabot.yml")) as {
    updates: { directories?: string[]; directory?: string }[];
  };
  const folders = updates.flatMap(({ directories, directory = "/" }) => directories ?? [directory]);
  const manifests = trackedFiles("*package-lock.json", "*go.mod", "*pom.xml", "*requirements.txt");
  const missing = [...manifests, "clients/python/pyproject.toml"]
    .map((path) => dirname(`/${path}`))
    .filter((folder) => !folders.includes(folder));
  expect(missing).toEqual(["/test/system/packages/oldest-node"]);
});

describe.each(workflows)("%s", (path) => {
  test("uses actions of other repositories only by the hash of a commit, with its release", () => {
    const used = [...read(path).matchAll(/^[\s-]*uses:\s*(.+)$/gm)].map(([, text = ""]) =>
      text.trim(),
    );
    // No other spelling of YAML hides one.
    expect(used).toHaveLength(usesIn(parse(read(path))).length);
    const loose = used.filter(
      (text) => !/^(?:\.\/[\w./-]+|[\w.-]+\/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+)$/.test(text),
    );
    expect(loose).toEqual([]);
  });

  test("gives no job more than reading, unless the job says so itself", () => {
    const { permissions, runs } = parse(read(path)) as { permissions?: object; runs?: object };
    if (runs) expect(permissions).toBeUndefined();
    else expect(permissions).toEqual({ contents: "read" });
  });
});

/** All values of the key `uses`. */
function usesIn(value: unknown): unknown[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, each]) => (key === "uses" ? [each] : usesIn(each)));
}

test.each(images)("%s names images of others by their digests", (path) => {
  const text = read(path);
  const stages = new Set([...text.matchAll(/^FROM .* AS (\S+)$/gm)].map(([, name]) => name));
  const names = [...text.matchAll(/^(?:FROM|[\s-]*image:(?: &\w+)?) +([^\s{*&][^\s]*)/gm)].map(
    ([, name = ""]) => name,
  );
  const own = (name: string) =>
    name === "scratch" || name === "inventory-service" || stages.has(name);
  const loose = names.filter((name) => !own(name) && !/:[\w.-]+@sha256:[0-9a-f]{64}$/.test(name));
  expect(loose).toEqual([]);
  if (path === "Dockerfile") expect(names.filter((name) => !own(name))).toHaveLength(1);
});
