import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

export const root = join(import.meta.dirname, "..");

/** The contents of package.json. `files` are packed. */
type Manifest = Readonly<Record<string, unknown>>;

export function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
}

/**
 * Builds an npm package in the folder that the command line names, or in the current one. It has the license of the project,
 * and the README and the changelog of its sources.
 *
 * @param folder of the sources
 * @param fill writes the other files into a folder
 */
export function packNpm(folder: string, manifest: Manifest, fill: (stage: string) => void): void {
  const target = resolve(process.argv[2] ?? ".");
  const stage = mkdtempSync(join(tmpdir(), "npm-package-"));
  try {
    cpSync(join(root, "LICENSE"), join(stage, "LICENSE"));
    for (const file of ["README.md", "CHANGELOG.md"]) cpSync(join(folder, file), join(stage, file));
    fill(stage);
    writeFileSync(join(stage, "package.json"), `${JSON.stringify(manifest, undefined, 2)}\n`);
    mkdirSync(target, { recursive: true });
    run("npm", ["pack", "--silent", "--pack-destination", target], stage);
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
}

/** Runs a program until it ends, and prints its output to standard error. @throws Error if it fails */
export function run(program: string, args: readonly string[], cwd = root): void {
  execFileSync(program, args, { cwd, stdio: ["ignore", 2, "inherit"] });
}
