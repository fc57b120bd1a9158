import { readdirSync, readFileSync } from "node:fs";
import { join, matchesGlob } from "node:path";
import { expect, test } from "vitest";
import config from "../../vitest.config.ts";

const root = join(import.meta.dirname, "../..");

/** A part of the configuration of tests. */
interface Tests {
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
  readonly isolate?: boolean;
}

const projects = (config.test?.projects ?? []) as readonly { readonly test: Tests }[];
const parts = projects.map((project) => project.test);

test("tests that replace modules do not share modules with other files", () => {
  const files = readdirSync(join(root, "test"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".test.ts"))
    .map((file) => `test/${file}`);
  const replacing = files.filter((file) =>
    /^vi\.(?:do)?mock\(/im.test(readFileSync(join(root, file), "utf8")),
  );
  const matches = (file: string, globs: readonly string[] = []) =>
    globs.some((glob) => matchesGlob(file, glob));
  const sharing = replacing.filter((file) =>
    parts.some(
      ({ isolate, include, exclude }) =>
        isolate === false && matches(file, include) && !matches(file, exclude),
    ),
  );
  expect(replacing).not.toEqual([]);
  expect(sharing).toEqual([]);
});
