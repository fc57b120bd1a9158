import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parse } from "yaml";

interface Workflow {
  readonly jobs: { readonly run: { readonly strategy: { readonly matrix: { steps: string[] } } } };
}

function namesOf(...args: readonly string[]): string[] {
  return execFileSync("bash", [".ci/run", "--list", ...args], { encoding: "utf8" })
    .trim()
    .split("\n");
}

/** The steps that the jobs of a workflow run. */
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
