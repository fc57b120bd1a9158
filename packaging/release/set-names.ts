/**
 * Replaces names of this project in all files, such as the placeholders before the first release: `npm run task set-names --
 * repository=github.com/acme/inventory`. names.json has the present names. Run `npm run generate` afterwards.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import names from "./names.json" with { type: "json" };
import { git, root } from "./repository.ts";

export type Names = typeof names;

/** Files that name packages of Java: code of clients, and code that writes or tests it. */
const isJava =
  /^(?:README\.md$|(?:clients|packaging\/generate\/samples|test\/system\/(?:clients|packages))\/)/;

/** The packages of Java begin with the prefix, which alone is too short to search for. A template can follow it. */
const javaName = new RegExp(
  `(?<![\\w.])${RegExp.escape(names.javaPrefix)}(?=([./])(?:\\$\\{|(?:admin|catalog|inventory|pets|rules|store|usage)\\b))`,
  "g",
);

const folderOf = (javaPackage: string) => javaPackage.replaceAll(".", "/");

/**
 * Returns the text of a file with other names.
 *
 * @param path from the root of the project
 * @param changed the names that change
 */
export function withNames(path: string, text: string, changed: Partial<Names>): string {
  const { javaPrefix, ...literals } = changed;
  let result = text;
  for (const [name, value] of Object.entries(literals)) {
    const present = new RegExp(`${RegExp.escape(names[name as keyof Names])}(?!\\w)`, "g");
    result = result.replace(present, () => value);
  }
  if (javaPrefix === undefined || !isJava.test(path)) return result;
  return result
    .replace(javaName, (_, separator) => (separator === "." ? javaPrefix : folderOf(javaPrefix)))
    .replace(`value: ${names.javaPrefix}\n`, `value: ${javaPrefix}\n`);
}

function setNames(changed: Partial<Names>): void {
  for (const path of git("ls-files", "-z").split("\0").filter(Boolean)) {
    const data = readFileSync(join(root, path));
    if (data.includes(0)) continue;
    const text = data.toString();
    const renamed = withNames(path, text, changed);
    if (renamed !== text) writeFileSync(join(root, path), renamed);
  }
  if (changed.javaPrefix !== undefined && changed.javaPrefix !== names.javaPrefix) {
    const sources = "clients/java/src/main/java";
    const target = `${sources}/${folderOf(changed.javaPrefix)}`;
    mkdirSync(join(root, target), { recursive: true });
    git("mv", `${sources}/${folderOf(names.javaPrefix)}/inventory`, `${target}/inventory`);
  }
  const file = join(root, "packaging/release/names.json");
  writeFileSync(file, `${JSON.stringify({ ...names, ...changed }, undefined, 2)}\n`);
}

if (import.meta.main) {
  const pairs = process.argv.slice(2).map((each) => each.split("=", 2));
  const isKnown = ([name = "", value]: readonly string[]) => Object.hasOwn(names, name) && value;
  if (pairs.length === 0 || !pairs.every(isKnown)) {
    throw new Error(`Pass NAME=VALUE, with a name of ${Object.keys(names).join(", ")}.`);
  }
  setNames(Object.fromEntries(pairs));
}
