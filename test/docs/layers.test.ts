import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, it } from "vitest";

const src = join(import.meta.dirname, "../../src");

/**
 * Which folders of src each folder may import from, besides itself. Data flows one way: what is not
 * listed is not allowed, and no folder is without a line.
 */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  call: [],
  rules: ["call"],
  rest: ["call", "http"],
  rpc: ["call", "http"],
  access: ["call", "errors.ts"],
  inventory: ["access", "call", "errors.ts"],
  live: ["access", "call", "errors.ts", "inventory", "stores.ts"],
  pets: ["access", "call", "errors.ts", "inventory"],
  store: ["access", "call", "errors.ts", "inventory"],
  admin: ["access", "call", "errors.ts", "inventory", "store"],
  "stores.ts": ["access", "inventory", "store"],
  memory: ["access", "inventory", "store", "stores.ts"],
  redis: ["access", "call", "inventory", "store", "stores.ts", "errors.ts"],
  "front-door": ["access", "call", "log.ts", "http", "rest", "rpc"],
  "docs-page": ["access", "config.ts", "errors.ts", "memory", "http", "rest", "services.ts"],
  "errors.ts": ["call"],
  http: ["call"],
  "log.ts": [],
  "config.ts": ["access", "inventory"],
  "services.ts": [
    "access",
    "admin",
    "call",
    "errors.ts",
    "inventory",
    "live",
    "pets",
    "rules",
    "store",
    "stores.ts",
  ],
  "public-services.ts": ["call", "errors.ts", "rpc"],
  "app.ts": [
    "access",
    "call",
    "config.ts",
    "docs-page",
    "errors.ts",
    "front-door",
    "live",
    "log.ts",
    "public-services.ts",
    "rest",
    "rpc",
    "rules",
    "services.ts",
    "stores.ts",
  ],
  "serve.ts": [
    "access",
    "app.ts",
    "call",
    "config.ts",
    "inventory",
    "log.ts",
    "memory",
    "redis",
    "services.ts",
    "stores.ts",
    "workers.ts",
  ],
  "workers.ts": ["log.ts"],
  cli: [
    "access",
    "call",
    "config.ts",
    "errors.ts",
    "inventory",
    "redis",
    "rest",
    "rules",
    "serve.ts",
    "services.ts",
    "stores.ts",
  ],
  "main.ts": ["serve.ts"],
};

function importsOf(file: string): string[] {
  const text = readFileSync(file, "utf8");
  const specifiers = text.matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+)"/g);
  return [...specifiers].map(([, specifier = ""]) => relative(src, join(dirname(file), specifier)));
}

describe("imports within src", () => {
  const files = readdirSync(src, { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith(".ts"),
  );

  it.each(files)("%s imports only from where it may", (file) => {
    const folder = file.split("/", 1)[0] ?? "";
    const allowed = [folder, ...(mayImport[folder] ?? [])];
    const others = importsOf(join(src, file))
      .filter((imported) => !imported.startsWith("../gen/"))
      .map((imported) => imported.split("/", 1)[0] ?? "");
    expect(mayImport).toHaveProperty([folder]);
    for (const other of others) {
      expect(allowed).toContain(other);
    }
  });

  it("generic folders know nothing of what the service is about", () => {
    const generic = files.filter((file) => /^(rest|rpc|call|rules)\//.test(file));
    const specific = generic.flatMap((file) =>
      importsOf(join(src, file)).filter((imported) =>
        /^\.\.\/gen\/(inventory|pets|store|admin)\//.test(imported),
      ),
    );
    expect(generic.length).toBeGreaterThan(10);
    expect(specific).toEqual([]);
  });
});
