import { EventEmitter } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as nextTick } from "node:timers/promises";
import { expect, test } from "vitest";
import { guardEmit } from "../../src/call/guard.ts";
import { bytesKept } from "../support/kept-memory.ts";
import { trackedFiles } from "../support/tracked-files.ts";

const root = join(import.meta.dirname, "../..");

/**
 * Function literals that are assigned to a property, of which there are a few in each process. V8 allocates such a function
 * in its old space, so all that it refers to stays in memory until the next major collection. For each request or
 * connection, give the function a name first, and then assign it.
 */
const ofProcess = [
  "src/app/serve.ts warn",
  "src/observability/log/log.ts flushSync",
  "src/observability/log/log.ts write",
];

/** Returns the names of properties that a function literal is assigned to. */
function assignedFunctions(source: string): string[] {
  const property = /[\w)\]]\??(?:\.(#?\w+)|\[(\w+)\])/;
  const literal = /(?:async )?(?:function\b|\w+ =>|\((?:[^()]|\([^()]*\))*\)(?:: [^={]+)? =>)/;
  const assignment = new RegExp(`${property.source} (?:\\?\\?|\\|\\|)?=\\s+${literal.source}`, "g");
  return [...source.matchAll(assignment)].map(([, name, key]) => name ?? key ?? "");
}

test("no function literal is assigned to a property, except those of which a process has a few", () => {
  const found = trackedFiles("src/**/*.ts", ":!src/web", ":!src/cli").flatMap((file) =>
    assignedFunctions(readFileSync(join(root, file), "utf8")).map((name) => `${file} ${name}`),
  );
  expect(found.sort()).toEqual(ofProcess);
});

test.for([
  ["a.b = () => {};", ["b"]],
  ["a.#b = async (c: (d: string) => void, ...e) => {};", ["#b"]],
  ["a?.b.c ??= (d): number =>\n  d;", ["c"]],
  ["a[b] = function c() {};", ["b"]],
  ["a.b =\n  c => d;", ["b"]],
  ["a.b = c;\nconst d = () => {};\nconst { e = () => {} } = a.f;", []],
] as const)("the check finds the functions in %o", ([source, names]) => {
  expect(assignedFunctions(source)).toEqual(names);
});

test("a guarded emitter does not stay in memory until the next major collection", async () => {
  const kept = await bytesKept(async () => {
    for (let count = 0; count < 2_000; count += 1) {
      const emitter = Object.assign(new EventEmitter(), { data: new Array(1_000).fill(0.5) });
      guardEmit(emitter, () => {});
      await nextTick();
    }
  });
  // All emitters have 16 MB.
  expect(kept).toBeLessThan(2_000_000);
});
