import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { trackedFiles } from "../support/tracked-files.ts";

/** The tests that do not always run, and why. */
const conditional = [
  // With a scope or without one, all operations have the same cases.
  "test/contract/common-cases.ts: it.runIf(scope)(",
  // The nightly run has the long form.
  // Few machines of developers have an older Node. CI has one.
  "test/app/start.test.ts: test.runIf(process.env.CI)(",
  "test/app/start.test.ts: test.runIf(old).",
  "test/app/start.test.ts: test.runIf(old).",
];

/** A test that is left out, or the only one of its file, whatever calls that. */
const leftOut =
  /\b(?:(?:describe|it|test)\.(?:skip|only|todo|fails|skipIf|runIf)\b|(?:context|ctx)\.skip\()[^)]*\)?[.(]/g;

it("no test is left out silently, such as for lack of a program", () => {
  const found = trackedFiles("test/*.ts").flatMap((file) =>
    Array.from(readFileSync(file, "utf8").matchAll(leftOut), ([call]) => `${file}: ${call}`),
  );
  const own = "test/docs/skipped-tests.test.ts";
  expect(found.filter((call) => !call.startsWith(own)).sort()).toEqual(conditional.sort());
});
