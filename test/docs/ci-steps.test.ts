import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { directoryOfTest } from "../support/directory.ts";

interface Workflow {
  readonly jobs: { readonly run: { readonly strategy: { readonly matrix: { steps: string[] } } } };
}

function namesOf(...args: readonly string[]): string[] {
  return execFileSync("bash", [".ci/run", "--list", ...args], { encoding: "utf8" })
    .trim()
    .split("\n");
}

function stepsOf(workflow: string): string[] {
  const file = readFileSync(`.github/workflows/${workflow}.yml`, "utf8");
  const { jobs } = parse(file) as Workflow;
  return jobs.run.strategy.matrix.steps.flatMap((names) => names.split(" "));
}

test("the jobs of CI run every step of .ci/run once", () => {
  const names = namesOf().filter((name) => name !== "install");
  expect(stepsOf("ci").sort()).toEqual(names.sort());
});

test("the jobs of the night run every nightly step of .ci/run once", () => {
  const names = namesOf("nightly");
  expect(stepsOf("nightly").sort()).toEqual(names.sort());
  // Each is the long form of a step of CI.
  expect(namesOf()).toEqual(
    expect.arrayContaining(names.map((name) => name.replace("nightly-", ""))),
  );
});

test("every step has a function that says what it shows", () => {
  const script = readFileSync(".ci/run", "utf8");
  const described = [...script.matchAll(/^([\w-]+)\(\) \{ : ["']/gm)].map(([, name]) => name);
  expect(described.sort()).toEqual([...namesOf(), ...namesOf("nightly")].sort());
});

/** Runs a step of .ci/run in an empty repository, with a script in the place of Vitest. */
function runStep(vitest: string): { readonly status: number | null; readonly stderr: string } {
  const folder = directoryOfTest();
  cpSync(".ci", join(folder, ".ci"), { recursive: true });
  writeFileSync(join(folder, ".gitignore"), "/.ci\n/node_modules\n/.gitignore\n");
  mkdirSync(join(folder, "node_modules/.bin"), { recursive: true });
  writeFileSync(join(folder, "node_modules/.package-lock.json"), "{}");
  writeFileSync(join(folder, "node_modules/.bin/vitest"), `#!/bin/sh\n${vitest}\n`, {
    mode: 0o755,
  });
  execFileSync("git", ["init", "--quiet", folder]);
  return spawnSync(join(folder, ".ci/run"), ["json"], { encoding: "utf8" });
}

test("a step passes if it leaves nothing, and fails if it leaves a file, installs packages or fails itself", () => {
  expect(runStep("true")).toMatchObject({ status: 0, stderr: "" });
  const left = runStep("touch left-over");
  expect(left.status).toBe(1);
  expect(left.stderr).toContain("the step json has changed the work tree:");
  expect(left.stderr).toContain("?? left-over");
  const installed = runStep("echo > new; mv new node_modules/.package-lock.json");
  expect(installed.status).toBe(1);
  expect(installed.stderr).toContain("node_modules/.package-lock.json has the inode");
  expect(runStep("exit 3").status).toBe(3);
});
