import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parse } from "yaml";

interface Workflow {
  readonly jobs: { readonly run: { readonly strategy: { readonly matrix: { steps: string[] } } } };
}

test("the workflow's jobs run every step of .ci/run once", () => {
  const steps = execFileSync("bash", [".ci/run", "--list"], { encoding: "utf8" })
    .trim()
    .split("\n");
  const workflow = parse(readFileSync(".github/workflows/ci.yml", "utf8")) as Workflow;

  const jobs = workflow.jobs.run.strategy.matrix.steps;
  const run = jobs.flatMap((names) => names.split(" "));

  expect(run.sort()).toEqual(steps.filter((name) => name !== "install").sort());
});
