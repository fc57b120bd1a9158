import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const root = join(import.meta.dirname, "../..");

/** The version that clients and servers of this one must work with: the last release, once there is one. */
export const earlierCommit = "5136b315977933a86e6a8cc95bef9a37a53e30cd";

/** Whether the clone has a commit. A shallow one has few. */
export function hasCommit(commit: string): boolean {
  try {
    execFileSync("git", ["cat-file", "-e", `${commit}^{commit}`], { cwd: root, stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/**
 * Writes the files of a commit to a new folder, whose path it returns.
 *
 * @param purpose a server needs the dependencies of its commit: `npm ci` installs them if they differ from those of this
 * version. A client is built with the tools of this version.
 */
export function checkOut(commit: string, purpose: "server" | "client"): string {
  const folder = mkdtempSync(join(tmpdir(), `inventory-earlier-${purpose}-`));
  const git = (...args: readonly string[]) =>
    execFileSync("git", args, { cwd: root, maxBuffer: 2 ** 30, stdio: ["ignore", "pipe", "pipe"] });
  try {
    execFileSync("tar", ["-x", "-C", folder], { input: git("archive", commit) });
  } catch (cause) {
    const message = `commit ${commit} is missing: run \`git fetch --unshallow\``;
    throw new Error(message, { cause });
  }
  const lock = (of: string) => readFileSync(join(of, "package-lock.json"), "utf8");
  if (purpose === "client" || lock(folder) === lock(root)) {
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  } else {
    execFileSync("npm", ["ci", "--omit=dev", "--ignore-scripts", "--silent", "--no-audit"], {
      cwd: folder,
      stdio: ["ignore", "ignore", "inherit"],
    });
  }
  return folder;
}
