import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { newDirectory } from "../harness/directory.ts";

const root = join(import.meta.dirname, "../../..");

/** Builds npm packages of this project. @param names such as `gateway`. @returns the paths of the archives */
export function pack(...names: readonly string[]): string[] {
  const built = newDirectory();
  for (const name of names) {
    const program = join(root, `packaging/pack-${name}.ts`);
    execFileSync(process.execPath, [program, built], { stdio: ["ignore", "ignore", "inherit"] });
  }
  return archivesIn(built);
}

/**
 * Installs npm packages into a folder without the network.
 *
 * @param archives of packages of this project
 * @param others names of packages, which are packed from this project's node_modules, with all that they depend on
 */
export function installOffline(
  folder: string,
  archives: readonly string[],
  others: readonly string[],
): void {
  const packed = newDirectory();
  const folders = [...withDependencies(others)].map((name) => join(root, "node_modules", name));
  npm(folder, "pack", "--silent", "--ignore-scripts", "--pack-destination", packed, ...folders);
  const options = ["--offline", "--silent", "--no-audit"];
  npm(folder, "install", ...options, ...archives, ...archivesIn(packed));
}

/** Runs npm in a folder. @returns what it prints @throws Error when it fails */
export function npm(folder: string, ...args: readonly string[]): string {
  return execFileSync("npm", args, { cwd: folder, encoding: "utf8" });
}

function archivesIn(folder: string): string[] {
  return readdirSync(folder).map((file) => join(folder, file));
}

/** Returns packages with all packages that they depend on, except those of this project. */
function withDependencies(names: readonly string[]): ReadonlySet<string> {
  const all = new Set(names);
  // The loop also visits what it adds.
  for (const name of all) {
    const text = readFileSync(join(root, "node_modules", name, "package.json"), "utf8");
    const { dependencies = {} } = JSON.parse(text);
    for (const each of Object.keys(dependencies)) all.add(each);
  }
  return all;
}
