import { execFileSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";

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
    linkDependencies(folder);
  } else {
    execFileSync("npm", ["ci", "--omit=dev", "--ignore-scripts", "--silent", "--no-audit"], {
      cwd: folder,
      stdio: ["ignore", "ignore", "inherit"],
    });
  }
  return folder;
}

/** Uses the installed dependencies of this checkout, but the workspaces of the other one. */
function linkDependencies(folder: string): void {
  const installed = join(root, "node_modules");
  mkdirSync(join(folder, "node_modules"));
  for (const entry of readdirSync(installed)) {
    const from = join(installed, entry);
    const workspace = relative(root, realpathSync(from));
    const isWorkspace = !workspace.startsWith("node_modules");
    symlinkSync(isWorkspace ? join(folder, workspace) : from, join(folder, "node_modules", entry));
  }
}
