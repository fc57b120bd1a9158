import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { trackedFiles } from "../support/tracked-files.ts";

const root = join(import.meta.dirname, "../..");

/**
 * Getters of object literals of which there are a few in each process. V8 keeps the getters of a literal in its hidden
 * class. If a literal is made for each request, connection or watch, all that its getters refer to stays in memory until
 * the next full garbage collection, and each smaller collection copies it. Those must be classes, or have functions.
 */
const ofProcess = [
  "src/app/readiness-polls.ts isPolled",
  "src/app/reload.ts inEffect",
  "src/audit/chain-check.ts hash",
  "src/audit/chain-check.ts sequence",
  "src/cli/follow/line-files.ts path",
  "src/cli/main.ts stdin",
  "src/observability/log/line-budget.ts dropped",
  "src/server/connections/http1-server.ts connections",
  "src/server/connections/http2-server.ts connections",
  "src/server/load/backlog.ts count",
  "src/server/load/backlog.ts isBusy",
  "src/server/load/backlog.ts perMs",
  "src/server/load/backlog.ts waitMs",
  "src/services/watch/broadcast.ts staleSince",
  "src/services/watch/recent-changes.ts end",
  "src/services/watch/recent-changes.ts version",
  "src/stores/redis/connection/node.ts commit",
  "src/stores/redis/connection/node.ts redis",
  "src/stores/redis/stores.ts accounts",
  "src/stores/redis/stores.ts admission",
  "src/stores/redis/stores.ts audit",
  "src/stores/redis/stores.ts holds",
  "src/stores/redis/stores.ts inventory",
  "src/stores/redis/stores.ts orders",
  "src/stores/redis/stores.ts usage",
];

/** Returns the names of getters and setters of object literals. Those of classes have no comma behind them. */
function literalAccessors(source: string): string[] {
  const members = source.matchAll(/^( +)(?:get|set) (\w+)\((?:.|\n)*?\n\1\}(,?)$/gm);
  return [...members].flatMap(([, , name = "", comma]) => (comma === "" ? [] : name));
}

test("object literals have no getters, except those of which a process has a few", () => {
  const found = trackedFiles("src/**/*.ts", ":!src/web").flatMap((file) =>
    literalAccessors(readFileSync(join(root, file), "utf8")).map((name) => `${file} ${name}`),
  );
  expect(found.sort()).toEqual(ofProcess);
});

test("the check tells object literals from classes", () => {
  const literal = "  return {\n    get a() {\n      return 1;\n    },\n  };\n";
  const ofClass = "class A {\n  get b() {\n    return 1;\n  }\n}\n";
  expect(literalAccessors(literal + ofClass)).toEqual(["a"]);
});
