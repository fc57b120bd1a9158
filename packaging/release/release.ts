/**
 * Prepares a release: `npm run task release -- 1.1.0` sets the version everywhere, and dates the changelogs. The first release
 * also removes the notice in README.md that there is none.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { git, rewrite, root } from "./repository.ts";
import { versionPlaces, withVersion } from "./version.ts";

/** The notice that nothing is released yet, in README.md only. */
export const notice = /<!-- unreleased -->\n.*\n<!-- \/unreleased -->\n/;

/** Returns a changelog in which the unreleased changes are those of a version. @param date as YYYY-MM-DD */
export function withRelease(changelog: string, version: string, date: string): string {
  const [head, ...rest] = changelog.split("## [Unreleased]\n");
  if (rest.length !== 1) throw new Error("a changelog has one heading [Unreleased]");
  return `${head}## [Unreleased]\n\n## [${version}] - ${date}\n${rest[0]}`;
}

if (import.meta.main) {
  const [version = ""] = process.argv.slice(2);
  if (!/^\d+\.\d+\.\d+$/.test(version)) throw new Error("Pass the version, such as 1.1.0.");
  if (git("status", "--porcelain") !== "") throw new Error("Commit your changes first.");
  const { version: present } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  for (const path of Object.keys(versionPlaces)) {
    rewrite(path, (text) => withVersion(path, text, present, version));
  }
  const date = new Date().toISOString().slice(0, 10);
  for (const path of ["CHANGELOG.md", "packages/connect-gateway/CHANGELOG.md"]) {
    rewrite(path, (text) => withRelease(text, version, date));
  }
  rewrite("README.md", (text) => text.replace(notice, ""));
}
