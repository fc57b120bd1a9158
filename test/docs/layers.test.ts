import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, it } from "vitest";

const src = join(import.meta.dirname, "../../src");

/**
 * The folders of src that each folder may import from, in addition to itself. Every folder has a line, and imports
 * that are not listed are not allowed.
 */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  call: ["telemetry"],
  rules: ["call"],
  telemetry: [],
  metrics: ["access", "call", "http", "redis", "stores.ts", "telemetry"],
  "admin-port": ["stores.ts", "telemetry"],
  tracing: ["call", "config", "http", "telemetry"],
  rest: ["call", "http"],
  rpc: ["call", "http"],
  access: ["call", "errors.ts"],
  inventory: ["access", "call", "errors.ts"],
  watch: ["access", "call", "errors.ts", "inventory", "stores.ts"],
  audit: ["access", "call", "errors.ts"],
  pets: ["access", "call", "errors.ts", "inventory"],
  orders: ["access", "call", "errors.ts", "inventory"],
  usage: ["access", "call", "errors.ts"],
  admin: ["access", "audit", "call", "errors.ts", "inventory", "orders", "usage"],
  "stores.ts": ["access", "audit", "inventory", "orders", "usage"],
  memory: ["access", "audit", "inventory", "orders", "stores.ts", "usage"],
  redis: [
    "access",
    "audit",
    "call",
    "inventory",
    "orders",
    "stores.ts",
    "errors.ts",
    "telemetry",
    "usage",
  ],
  data: ["access", "audit", "inventory", "redis"],
  "front-door": ["access", "call", "http", "rest", "rpc"],
  openapi: [
    "access",
    "call",
    "config.ts",
    "errors.ts",
    "memory",
    "http",
    "http-json.ts",
    "rest",
    "services.ts",
  ],
  web: ["access", "call", "http", "openapi", "rest", "rules"],
  "errors.ts": ["call"],
  http: ["call"],
  "http-json.ts": ["rest"],
  log: ["access", "call", "http", "line-budget.ts", "log.ts", "telemetry"],
  "log.ts": ["line-budget.ts", "timestamp.ts"],
  "timestamp.ts": [],
  "line-budget.ts": ["call"],
  config: ["call", "redis", "telemetry", "tls-files.ts"],
  "tls-files.ts": [],
  "config.ts": ["access", "config", "inventory", "redis", "tls-files.ts"],
  "services.ts": [
    "access",
    "audit",
    "admin",
    "call",
    "errors.ts",
    "inventory",
    "watch",
    "pets",
    "rules",
    "orders",
    "stores.ts",
    "usage",
  ],
  "public-services.ts": ["call", "errors.ts", "rpc"],
  "app.ts": [
    "access",
    "audit",
    "call",
    "config.ts",
    "openapi",
    "errors.ts",
    "front-door",
    "http-json.ts",
    "watch",
    "log",
    "log.ts",
    "public-services.ts",
    "rest",
    "rpc",
    "rules",
    "services.ts",
    "stores.ts",
    "tls-files.ts",
    "tracing",
    "web",
    "usage",
    "http",
  ],
  "serve.ts": [
    "access",
    "audit",
    "admin-port",
    "app.ts",
    "call",
    "config",
    "config.ts",
    "exit.ts",
    "inventory",
    "log",
    "log.ts",
    "memory",
    "metrics",
    "readiness-polls.ts",
    "redis",
    "reload.ts",
    "reporting.ts",
    "services.ts",
    "stop-signals.ts",
    "stores.ts",
    "tls-files.ts",
    "tracing",
    "worker-reports.ts",
    "workers.ts",
  ],
  "reload.ts": ["log", "config", "config.ts", "log.ts"],
  "readiness-polls.ts": [],
  "reporting.ts": [
    "admin-port",
    "app.ts",
    "config.ts",
    "log.ts",
    "metrics",
    "stores.ts",
    "telemetry",
    "worker-reports.ts",
    "workers.ts",
  ],
  "worker-reports.ts": ["admin-port", "telemetry"],
  "workers.ts": ["log", "log.ts", "stop-signals.ts"],
  "stop-signals.ts": [],
  "exit.ts": ["log.ts"],
  cli: [
    "access",
    "audit",
    "call",
    "check-node.js",
    "config",
    "config.ts",
    "data",
    "errors.ts",
    "http",
    "http-json.ts",
    "inventory",
    "redis",
    "rest",
    "rules",
    "serve.ts",
    "services.ts",
    "stop-signals.ts",
    "stores.ts",
  ],
  "main.ts": ["check-node.js", "serve.ts", "stop-signals.ts"],
};

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

  it.each(files)("%s imports only from allowed folders", (file) => {
    const folder = file.split("/", 1)[0] ?? "";
    const allowed = [folder, ...(mayImport[folder] ?? [])];
    const others = importsOf(join(src, file))
      .filter((imported) => !/^\.\.\/(gen\/|package\.json$)/.test(imported))
      .map((imported) => imported.split("/", 1)[0] ?? "");
    expect(mayImport).toHaveProperty([folder]);
    for (const other of others) {
      expect(allowed).toContain(other);
    }
  });

  it("generic folders do not import the contract of this service", () => {
    const generic = files.filter((file) => /^(rest|rpc|call|rules)\//.test(file));
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
        if (!imported.startsWith("../gen/") && !imported.endsWith(".css")) contained.add(imported);
      }
    }
    expect(pages.length).toBeGreaterThan(10);
    expect([...contained].filter((file) => !pages.includes(file)).sort()).toEqual([
      "access/key-grace.ts",
      "access/scopes.ts",
      "call/enum-word.ts",
      "call/integer-range.ts",
      "call/list-limits.ts",
      "rules/time-range.ts",
      "rules/validator.ts",
    ]);
  });

  it("the rest of the service does not import the code of browser pages", () => {
    const others = files.filter((file) => !/^web\/(console|reference)\//.test(file));
    const pages = others.flatMap((file) =>
      importsOf(join(src, file)).filter((imported) => /^web\/(console|reference)\//.test(imported)),
    );
    expect(pages).toEqual([]);
  });

  it("the OpenAPI generator imports nothing about this service", () => {
    const generator = files.filter((file) => file.startsWith("openapi/generator/"));
    const others = generator.flatMap((file) =>
      importsOf(join(src, file)).filter(
        (imported) =>
          !/^(openapi\/generator|rest|call|http|\.\.\/gen\/(google|rules))\//.test(imported),
      ),
    );
    expect(generator.length).toBeGreaterThan(5);
    expect(others).toEqual([]);
  });
});
