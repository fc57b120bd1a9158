import { globSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, test } from "vitest";
import gatewayManifest from "../../packages/connect-gateway/package.json" with { type: "json" };

const src = join(import.meta.dirname, "../../src");

/**
 * The folders of src that each folder may import from, in addition to itself, the lowest first: a folder imports only from
 * folders above its line. Every folder has a line, and imports that are not listed are not allowed. A folder whose parts
 * have lines of their own consists of its other files.
 */
const mayImport: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  `
check-node.js:
gateway:
common: gateway
contract: gateway common
access: gateway common contract
stores: access gateway common contract
admission: access gateway common contract stores
audit: access gateway common contract stores
stores/redis: access gateway common contract stores
config: access gateway common stores stores/redis
services/inventory: access gateway common contract stores
services/holds: access gateway common contract services/inventory stores
services/orders: access gateway common contract services/holds services/inventory stores
services/usage: access gateway common contract stores
services/admin: access audit gateway common contract services/holds services/inventory services/orders
  services/usage stores
services/pets: access gateway common contract services/inventory stores
services/watch: access gateway common contract services/inventory stores
services: access admission audit gateway common contract services/admin services/holds
  services/inventory services/orders services/pets services/usage services/watch stores
stores/memory: access gateway common stores
api-docs: gateway config
observability: gateway common
observability/log: observability access admission gateway common
observability/metrics: observability access gateway common config stores stores/redis
observability/ops-port: gateway common observability/metrics stores
observability/tracing: observability gateway common config
web: gateway common
app: access admission api-docs audit gateway common config contract observability/log
  observability/metrics observability/ops-port observability/tracing services services/holds
  services/inventory services/usage services/watch stores stores/memory stores/redis web
backup: access gateway common stores stores/redis
cli: access app audit backup gateway common check-node.js config contract services services/inventory
  stores stores/redis
main.ts: app check-node.js
`
    .trim()
    .split(/\n(?! )/)
    .map((line) => {
      const [folder = "", others = ""] = line.split(":");
      return [folder, others.split(/\s+/).filter(Boolean)];
    }),
);

const folders = Object.keys(mayImport);

/** The names by which the service imports the gateway. */
const gatewayEntries = Object.keys(gatewayManifest.exports).map((entry) =>
  entry.replace(".", gatewayManifest.name),
);

/** Returns the folder of a file, as `mayImport` has it: the longest one that contains the file. */
function folderOf(file: string): string {
  if (gatewayEntries.includes(file)) return "gateway";
  const holding = folders.filter((folder) => file === folder || file.startsWith(`${folder}/`));
  return holding.sort((a, b) => b.length - a.length)[0] ?? file;
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

describe("imports within src", () => {
  const files = readdirSync(src, { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith(".ts"),
  );

  test("each file imports only from allowed folders", () => {
    const faults = files.flatMap((file) => {
      const folder = folderOf(file);
      const allowed = [folder, ...(mayImport[folder] ?? [])];
      const others = importsOf(join(src, file))
        .filter((path) => !/^\.\.\/(gen\/|package\.json$)/.test(path))
        .map(folderOf)
        .filter((other) => !allowed.includes(other));
      return folders.includes(folder) ? others.map((other) => [file, other]) : [[file, folder]];
    });
    expect(files.length).toBeGreaterThan(300);
    expect(faults).toEqual([]);
  });

  test("each folder may import only from folders above it in the list", () => {
    const faults = Object.entries(mayImport).flatMap(([folder, others]) =>
      others
        .filter((other) => !folders.slice(0, folders.indexOf(folder)).includes(other))
        .map((other) => [folder, other]),
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
      "common/csv-header.ts",
      "common/durations.ts",
      "common/enum-word.ts",
      "common/file-kind.ts",
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
