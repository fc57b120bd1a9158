import { globSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, test } from "vitest";
import gatewayManifest from "../../packages/connect-gateway/package.json" with { type: "json" };
import { trackedFiles } from "../support/tracked-files.ts";

const src = join(import.meta.dirname, "../../src");

/** What each folder of src imports, the lowest first: a folder imports only from folders above its line. */
const layers = `
check-node.js:
node-setup.js:
gateway:
common: gateway
contract: common gateway
access: common contract gateway
stores: access common contract gateway
admission: access common contract gateway stores
audit: access common contract gateway stores
config: common gateway stores
services: access admission audit common contract gateway stores
api-docs: config gateway
observability: access common config gateway stores
web: common gateway
app: access admission api-docs audit common config contract gateway observability services stores web
backup: access common gateway stores
cli: access app audit backup check-node.js common config contract gateway node-setup.js observability services stores
main.ts: app check-node.js
start.js: check-node.js main.ts node-setup.js
`
  .trim()
  .split("\n");

/** The names by which the service imports the gateway. */
const gatewayEntries = Object.keys(gatewayManifest.exports).map((entry) =>
  entry.replace(".", gatewayManifest.name),
);

const folders = layers.map(topOf);

/** Returns the folder or file of src that a path begins with. */
function topOf(path: string): string {
  return gatewayEntries.includes(path) ? "gateway" : path.replace(/[/:].*/, "");
}

function importsOf(file: string): string[] {
  const text = readFileSync(file, "utf8");
  const specifiers = text.matchAll(/(?:from|import)\s*\(?\s*"((?:\.|connect-gateway)[^"]*)"/g);
  return [...specifiers].map(([, specifier = ""]) => fromSrc(file, specifier));
}

/** The path of an imported file from src on, or the name of an entry of the gateway. */
function fromSrc(file: string, specifier: string): string {
  return specifier.startsWith(".") ? relative(src, join(dirname(file), specifier)) : specifier;
}

/** Imports without those of types, which no bundle contains. */
function bundledImportsOf(file: string): string[] {
  const values = readFileSync(file, "utf8").matchAll(
    /^(?:import|export)(?! type\b)(?: [^;]*? from)? ?"((?:\.|connect-gateway)[^"]*)"|import\("(\.[^"]+)"\)/gm,
  );
  return [...values].map(([, named, awaited = ""]) => fromSrc(file, named ?? awaited));
}

/**
 * Returns the parts that import from each other in circles, and those in between.
 *
 * @param nameOf returns the part that a file belongs to; undefined for none
 */
function circles(
  imports: ReadonlyMap<string, readonly string[]>,
  nameOf: (file: string) => string | undefined,
): string[] {
  const left = new Map<string | undefined, Set<string | undefined>>();
  for (const [file, others] of imports) {
    const from = nameOf(file);
    const to = left.getOrInsertComputed(from, () => new Set());
    for (const other of others.map(nameOf)) if (other !== from) to.add(other);
  }
  left.delete(undefined);
  for (let before = 0; before !== left.size; ) {
    before = left.size;
    const imported = new Set(left.values().flatMap((to) => [...to]));
    for (const [name, to] of left) {
      if (to.isDisjointFrom(left) || !imported.has(name)) left.delete(name);
    }
  }
  return [...left.keys()].filter((name) => name !== undefined);
}

describe("imports within src", () => {
  const files = readdirSync(src, { recursive: true, encoding: "utf8" }).filter((file) =>
    /\.[tj]s$/.test(file),
  );

  const imports = new Map(
    files.map((file) => [
      file,
      importsOf(join(src, file)).filter((path) => !/^\.\.\/(gen\/|package\.json$)/.test(path)),
    ]),
  );

  test("each folder imports what its line says", () => {
    const lines = folders.map((folder) => {
      const others = files
        .filter((file) => topOf(file) === folder)
        .flatMap((file) => imports.get(file)?.map(topOf) ?? [])
        .filter((other) => other !== folder);
      return `${folder}: ${[...new Set(others)].sort().join(" ")}`.trim();
    });
    expect(files.length).toBeGreaterThan(300);
    expect(new Set(["gateway", ...files.map(topOf)])).toEqual(new Set(folders));
    expect(lines).toEqual(layers);
  });

  test("each folder imports only from folders above it in the list", () => {
    const faults = layers.flatMap((line, at) =>
      line
        .split(/:? /)
        .slice(1)
        .filter((other) => !folders.slice(0, at).includes(other)),
    );
    expect(faults).toEqual([]);
  });

  test("in no folder, files and folders import in a circle", () => {
    const all = files.flatMap((file) => file.split("/").map((_, at, path) => path.slice(0, at)));
    const places = new Set(all.map((path) => path.map((name) => `${name}/`).join("")));
    const found = [...places].flatMap((folder) =>
      circles(imports, (file) =>
        file.startsWith(folder) ? folder + file.slice(folder.length).split("/")[0] : undefined,
      ),
    );
    expect(places.size).toBeGreaterThan(30);
    expect(found).toEqual([]);
  });

  test("no files of the repository import in a circle", () => {
    const all = trackedFiles("*.ts", "*.tsx").map((file) => relative("src", file));
    const importsOfAll = new Map(all.map((file) => [file, importsOf(join(src, file))]));
    expect(all.length).toBeGreaterThan(1_000);
    expect(circles(importsOfAll, (file) => file)).toEqual([]);
  });

  test("services know the ports of the stores, and only parts above them the adapters", () => {
    const faults = [...imports].filter(
      ([file, others]) =>
        /^(?:admission|audit|services)\/|^stores\/[^/]+$/.test(file) &&
        others.some((other) => /^stores\/.+\//.test(other)),
    );
    expect(faults).toEqual([]);
  });

  test("the gateway imports nothing of the service, and no generated code but its own", () => {
    const gateway = join(src, "../packages/connect-gateway");
    const own = readdirSync(join(gateway, "src"), { recursive: true, encoding: "utf8" }).filter(
      (file) => file.endsWith(".ts"),
    );
    const foreign = own.flatMap((file) =>
      importsOf(join(gateway, "src", file))
        .filter((imported) => !imported.startsWith("../packages/connect-gateway/"))
        .map((imported) => [file, imported]),
    );
    expect(own.length).toBeGreaterThan(100);
    expect(foreign).toEqual([]);
  });

  test("the gateway's tests, with all that they import, use nothing of the service", () => {
    const tests = globSync("../packages/connect-gateway/test/**/*.ts", { cwd: src });
    const loaded = new Set(tests);
    const ofService: string[][] = [];
    for (const file of loaded) {
      for (const imported of importsOf(join(src, file))) {
        if (/^(?!\.\.\/(?:packages|test)\/)/.test(imported)) ofService.push([file, imported]);
        else if (imported.endsWith(".ts")) loaded.add(imported);
      }
    }
    expect(tests.length).toBeGreaterThan(80);
    expect(ofService).toEqual([]);
  });

  test("what the gateway has for browsers imports nothing of node", () => {
    const loaded = new Set(["../packages/connect-gateway/src/call.ts"]);
    const ofNode: string[][] = [];
    for (const file of loaded) {
      if (/ from "node:/.test(readFileSync(join(src, file), "utf8"))) ofNode.push([file]);
      for (const imported of bundledImportsOf(join(src, file))) loaded.add(imported);
    }
    expect(loaded.size).toBeGreaterThan(10);
    expect(ofNode).toEqual([]);
  });

  test("browser pages import only each other, the contract, and these pure functions of the server", () => {
    const pages = globSync("../packages/console/src/**/*.{ts,tsx}", { cwd: src });
    const contained = new Set(pages);
    const entries = new Set<string>();
    // A set goes on with what is added during the loop, so this follows imports of imports.
    for (const file of contained) {
      const isPage = pages.includes(file);
      for (const imported of (isPage ? importsOf : bundledImportsOf)(join(src, file))) {
        if (/^connect-gateway/.test(imported)) entries.add(imported);
        else if (!/^\.\.\/gen\/|\.(css|md)$/.test(imported)) contained.add(imported);
      }
    }
    expect(pages.length).toBeGreaterThan(100);
    expect([...contained].filter((file) => !pages.includes(file)).sort()).toEqual([
      "access/key-grace.ts",
      "access/plans.ts",
      "access/scopes.ts",
      "cli/output/csv-text.ts",
      "cli/output/printable.ts",
      "common/csv-header.ts",
      "common/durations.ts",
      "common/enum-word.ts",
      "common/file-kind.ts",
      "common/key-series.ts",
      "common/present.ts",
      "common/quote.ts",
      "contract/annotations.ts",
      "contract/pattern-text.ts",
      "contract/time-range.ts",
      "contract/validator.ts",
    ]);
    expect([...entries]).toEqual(["connect-gateway/call"]);
  });
});
