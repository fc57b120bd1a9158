import { execFileSync, spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { useDirectory } from "../support/directory.ts";

const root = join(import.meta.dirname, "../..");
const directory = useDirectory();
const hasGo = spawnSync("go", ["version"]).status === 0;

// Other tests check the documents of the contract, the schemas of the settings and the pages of the docs.
test.each([
  "buf.gen.yaml",
  "packages/connect-gateway/buf.gen.yaml",
  "bench/gateways/buf.gen.yaml",
  ...(hasGo ? ["clients/go/buf.gen.yaml"] : []),
])(
  "the committed code of %s is up to date",
  (template) => {
    const output = join(directory, template);
    execFileSync("buf", ["generate", "--template", template, "--output", output], { cwd: root });
    const files = readdirSync(output, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name).slice(output.length + 1));
    const contentOf = (folder: string, file: string) => readFileSync(join(folder, file), "utf8");
    const stale = files.filter((file) => contentOf(output, file) !== contentOf(root, file));
    expect(files).not.toEqual([]);
    expect(stale, "run npm run generate, and commit these").toEqual([]);
  },
  60_000,
);
