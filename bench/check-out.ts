import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");

/**
 * Writes the files of a commit to a new folder, whose path it returns. `npm ci` installs its dependencies if they differ
 * from those of this commit.
 */
export function checkOut(commit: string): string {
  const folder = mkdtempSync(join(tmpdir(), "inventory-baseline-"));
  const git = (...args: readonly string[]) =>
    execFileSync("git", args, { cwd: root, maxBuffer: 2 ** 30, stdio: ["ignore", "pipe", "pipe"] });
  try {
    execFileSync("tar", ["-x", "-C", folder], { input: git("archive", commit) });
  } catch (cause) {
    const message = `commit ${commit} is missing: run \`git fetch --unshallow\``;
    throw new Error(message, { cause });
  }
  const lock = (of: string) => readFileSync(join(of, "package-lock.json"), "utf8");
  if (lock(folder) === lock(root)) {
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  } else {
    execFileSync("npm", ["ci", "--omit=dev", "--ignore-scripts", "--silent", "--no-audit"], {
      cwd: folder,
      stdio: ["ignore", "ignore", "inherit"],
    });
  }
  return folder;
}
