import { execFileSync } from "node:child_process";
import { join } from "node:path";

const root = join(import.meta.dirname, "../..");

/** Returns the files of the repository that match a pathspec of git, by their paths from its root. */
export function trackedFiles(...pathspecs: readonly string[]): string[] {
  return execFileSync("git", ["ls-files", "--", ...pathspecs], { cwd: root, encoding: "utf8" })
    .trimEnd()
    .split("\n");
}
