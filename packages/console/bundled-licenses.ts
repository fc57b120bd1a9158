import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Returns the licenses of the packages that a bundle contains.
 *
 * @param root the folder that has `node_modules`
 * @param inputs the paths of the bundled files, relative to `root`
 */
export function licensesOf(root: string, inputs: readonly string[]): string {
  const packages = new Set(
    inputs.map((input) => /^.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(input)?.[0]),
  );
  const texts = [...packages]
    .filter((folder) => folder !== undefined)
    .sort()
    .map((folder) => licenseOf(join(root, folder)));
  return `These packages are part of the code:\n\n${texts.join("\n")}`;
}

/** @throws Error if a package does not name its license */
function licenseOf(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  if (typeof license !== "string") throw new Error(`${name} does not name its license`);
  const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
  const text = file === undefined ? apacheNote(license) : readFileSync(join(folder, file), "utf8");
  return `${"=".repeat(80)}\n${name} ${version}, ${license}\n\n${text.trim()}\n`;
}

/** Packages of Buf name their license without its text. */
function apacheNote(license: string): string {
  return license.includes("Apache-2.0")
    ? "https://www.apache.org/licenses/LICENSE-2.0"
    : `License: ${license}`;
}
