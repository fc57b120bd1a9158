/**
 * Prepares a release: `npm run task release -- 1.1.0` sets the version everywhere, and dates the changelogs. The first release
 * also removes the notice in README.md that there is none. The version must be newer than the last release.
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

/**
 * Returns the version to release.
 *
 * @param isFirst whether nothing is released yet, so that the present version can be
 * @throws Error if it is no version, or not newer than the present one
 */
export function checkedVersion(args: readonly string[], present: string, isFirst: boolean): string {
  const [version = "", ...more] = args;
  const form = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$/;
  if (more.length > 0 || !form.test(version)) {
    throw new Error("Pass the version, such as 1.1.0, and nothing else.");
  }
  const order = version.localeCompare(present, "en", { numeric: true });
  if (order < 0 || (order === 0 && !isFirst)) throw new Error(`${present} is released already.`);
  return version;
}

if (import.meta.main) {
  const { version: present } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const isFirst = notice.test(readFileSync(join(root, "README.md"), "utf8"));
  const version = checkedVersion(process.argv.slice(2), present, isFirst);
  if (git("status", "--porcelain") !== "") throw new Error("Commit your changes first.");
  for (const path of Object.keys(versionPlaces)) {
    rewrite(path, (text) => withVersion(path, text, present, version));
  }
  const date = new Date().toISOString().slice(0, 10);
  for (const path of ["CHANGELOG.md", "packages/connect-gateway/CHANGELOG.md"]) {
    rewrite(path, (text) => withRelease(text, version, date));
  }
  rewrite("README.md", (text) => text.replace(notice, ""));
}
