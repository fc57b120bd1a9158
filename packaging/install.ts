/**
 * Installs the npm packages of folders that have a lock of their own: `node packaging/install.ts bench`. Does nothing in a
 * folder whose packages are those of its lock.
 */
import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");

for (const folder of process.argv.slice(2)) {
  const cwd = join(root, folder);
  const lock = join(cwd, "package-lock.json");
  /** A copy of the lock. It is written last, so an interrupted install is repeated. */
  const installed = join(cwd, "node_modules/.installed-lock.json");
  if (existsSync(installed) && readFileSync(installed).equals(readFileSync(lock))) continue;
  process.stderr.write(`Installing the packages of ${folder}\n`);
  // Peer dependencies, such as vitest, are packages of the root: the tests that Stryker runs import that vitest.
  const options = ["--legacy-peer-deps", "--ignore-scripts", "--no-audit", "--no-fund"];
  execFileSync("npm", ["ci", ...options, "--loglevel=error"], {
    cwd,
    stdio: ["ignore", "ignore", "inherit"],
  });
  copyFileSync(lock, installed);
}
