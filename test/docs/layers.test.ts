import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, it } from "vitest";

const src = join(import.meta.dirname, "../../src");

/**
 * The folders of src that each folder may import from, in addition to itself, the lowest first: a folder imports only from
 * folders above its line. Every folder has a line, and imports that are not listed are not allowed. A folder whose parts
 * have lines of their own consists of its other files.
 */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  "check-node.js": [],
  "server/node-internals": [],
  call: [],
  http: ["call", "server/node-internals"],
  rest: ["call", "http"],
  contract: ["call", "http", "rest"],
  access: ["call", "contract"],
  stores: ["access", "call", "contract"],
  "access/admission": ["access", "call", "contract", "stores"],
  audit: ["access", "call", "contract", "stores"],
  "stores/redis": ["access", "call", "contract", "stores"],
  config: ["access", "call", "stores", "stores/redis"],
  "services/inventory": ["access", "call", "contract", "stores"],
  "services/holds": ["access", "call", "contract", "services/inventory", "stores"],
  "services/orders": [
    "access",
    "call",
    "contract",
    "services/holds",
    "services/inventory",
    "stores",
  ],
  "services/usage": ["access", "call", "contract", "stores"],
  "services/admin": [
    "access",
    "audit",
    "call",
    "contract",
    "services/holds",
    "services/inventory",
    "services/orders",
    "services/usage",
    "stores",
  ],
  "services/pets": ["access", "call", "contract", "services/inventory", "stores"],
  "services/watch": ["access", "call", "contract", "services/inventory", "stores"],
  services: [
    "access",
    "access/admission",
    "audit",
    "call",
    "contract",
    "services/admin",
    "services/holds",
    "services/inventory",
    "services/orders",
    "services/pets",
    "services/usage",
    "services/watch",
    "stores",
  ],
  "stores/memory": ["access", "call", "stores"],
  "api-docs": [
    "access",
    "access/admission",
    "call",
    "config",
    "contract",
    "http",
    "rest",
    "services",
    "services/holds",
    "services/inventory",
    "services/orders",
    "services/watch",
    "stores",
    "stores/memory",
  ],
  "observability/log": ["access", "access/admission", "call", "http"],
  "observability/metrics": ["access", "call", "config", "http", "stores", "stores/redis"],
  "observability/ops-port": ["call", "http", "observability/metrics", "stores"],
  "observability/tracing": ["call", "config", "http"],
  rpc: ["call", "http"],
  server: ["access", "access/admission", "call", "http", "rest", "rpc", "server/node-internals"],
  web: ["access", "api-docs", "call", "contract", "http", "rest"],
  app: [
    "access",
    "access/admission",
    "api-docs",
    "audit",
    "call",
    "config",
    "contract",
    "http",
    "observability/log",
    "observability/metrics",
    "observability/ops-port",
    "observability/tracing",
    "rest",
    "rpc",
    "server",
    "services",
    "services/holds",
    "services/inventory",
    "services/usage",
    "services/watch",
    "stores",
    "stores/memory",
    "stores/redis",
    "web",
  ],
  backup: ["access", "call", "stores", "stores/redis"],
  cli: [
    "access",
    "app",
    "audit",
    "backup",
    "call",
    "check-node.js",
    "config",
    "contract",
    "http",
    "rest",
    "services",
    "services/inventory",
    "stores",
    "stores/redis",
  ],
  "main.ts": ["app", "check-node.js"],
};

const folders = Object.keys(mayImport);

/** Returns the folder of a file, as `mayImport` has it: the longest one that contains the file. */
function folderOf(file: string): string {
  const holding = folders.filter((folder) => file === folder || file.startsWith(`${folder}/`));
  return holding.sort((a, b) => b.length - a.length)[0] ?? file;
}

function importsOf(file: string): string[] {
  const text = readFileSync(file, "utf8");
  const specifiers = text.matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+)"/g);
  return [...specifiers].map(([, specifier = ""]) => relative(src, join(dirname(file), specifier)));
}

/** Imports without those of types, which no bundle contains. */
function bundledImportsOf(file: string): string[] {
  const values = readFileSync(file, "utf8").matchAll(
    /^(?:import|export)(?! type\b)(?: [^;]*? from)? ?"(\.[^"]+)"|import\("(\.[^"]+)"\)/gm,
  );
  return [...values].map(([, named, awaited = ""]) =>
    relative(src, join(dirname(file), named ?? awaited)),
  );
}

describe("imports within src", () => {
  const files = readdirSync(src, { recursive: true, encoding: "utf8" }).filter((file) =>
    /\.tsx?$/.test(file),
  );

  it("each file imports only from allowed folders", () => {
    const faults = files.flatMap((file) => {
      const folder = folderOf(file);
      const allowed = [folder, ...(mayImport[folder] ?? [])];
      const others = importsOf(join(src, file))
        .filter((path) => !/^\.\.\/(gen\/|package\.json$|clients\/.*README\.md$)/.test(path))
        .map(folderOf)
        .filter((other) => !allowed.includes(other));
      return folders.includes(folder) ? others.map((other) => [file, other]) : [[file, folder]];
    });
    expect(files.length).toBeGreaterThan(500);
    expect(faults).toEqual([]);
  });

  it("each folder may import only from folders above it in the list", () => {
    const faults = Object.entries(mayImport).flatMap(([folder, others]) =>
      others
        .filter((other) => !folders.slice(0, folders.indexOf(folder)).includes(other))
        .map((other) => [folder, other]),
    );
    expect(faults).toEqual([]);
  });

  it("generic folders do not import the contract of this service", () => {
    const generic = files.filter((file) => /^(rest|rpc|call|http)\//.test(file));
    const specific = generic.flatMap((file) =>
      importsOf(join(src, file)).filter((imported) =>
        /^\.\.\/gen\/(inventory|pets|store|admin|usage)\//.test(imported),
      ),
    );
    expect(generic.length).toBeGreaterThan(10);
    expect(specific).toEqual([]);
  });

  it("the transcoder imports no contract of this service, so any Connect service can use it", () => {
    const rest = files.filter((file) => file.startsWith("rest/"));
    const contracts = rest.flatMap((file) =>
      importsOf(join(src, file)).filter((imported) => /^\.\.\/gen\/(?!google\/)/.test(imported)),
    );
    expect(rest.length).toBeGreaterThan(10);
    expect(contracts).toEqual([]);
  });

  it("browser pages contain only each other, the contract, and these pure functions of the server", () => {
    const pages = files.filter((file) => /^web\/(console|reference)\//.test(file));
    const contained = new Set(pages);
    // A set goes on with what is added during the loop, so this follows imports of imports.
    for (const file of contained) {
      for (const imported of bundledImportsOf(join(src, file))) {
        if (!/^\.\.\/gen\/|\.(css|md)$/.test(imported)) contained.add(imported);
      }
    }
    expect(pages.length).toBeGreaterThan(10);
    expect([...contained].filter((file) => !pages.includes(file)).sort()).toEqual([
      "access/key-grace.ts",
      "access/plans.ts",
      "access/scopes.ts",
      "call/csv-header.ts",
      "call/durations.ts",
      "call/enum-word.ts",
      "call/file-kind.ts",
      "call/integer-range.ts",
      "call/list-limits.ts",
      "call/option.ts",
      "call/present.ts",
      "call/quote.ts",
      "contract/pattern-text.ts",
      "contract/time-range.ts",
      "contract/validator.ts",
    ]);
  });

  it("the rest of the service does not import the code of browser pages", () => {
    const others = files.filter((file) => !/^web\/(console|reference)\//.test(file));
    const pages = others.flatMap((file) =>
      importsOf(join(src, file)).filter((imported) => /^web\/(console|reference)\//.test(imported)),
    );
    expect(pages).toEqual([]);
  });
});
