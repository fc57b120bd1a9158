import { expect, test } from "vitest";
import { type Comparison, compared } from "../../bench/against.ts";
import { httpListCase } from "../../bench/cases/http-list.ts";
import { baseline, isLoss } from "../../bench/gate.ts";
import { failureOf, joined, type Outcome, ratioOfLeast } from "../../bench/result.ts";

/** The comparison of a run whose ratio is given. */
function ran(ratio: number): Comparison {
  const spread = { median: 1, min: 1, max: 1 };
  return { case: "http-list", measure: "cpu", before: spread, now: spread, ratio };
}

test("the gate fails only if a row is more than 8 % above the baseline in two runs", () => {
  expect(isLoss([ran(1.08)])).toBe(false);
  expect(isLoss([ran(1.09), ran(1.08)])).toBe(false);
  expect(isLoss([ran(1.08), ran(1.09)])).toBe(false);
  expect(isLoss([ran(1.09), ran(1.09)])).toBe(true);
});

test("a comparison is the median of the ratios of runs that followed each other", () => {
  const samples = (...values: number[]) => ({ samples: values.map((cpu) => ({ cpu })) });
  const outcomes = new Map([
    ["before", samples(10, 40, 20)],
    ["ours", samples(11, 42, 30)],
  ]);
  const [row, ...others] = compared({ case: httpListCase, outcomes }, ["cpu", "allocated"]);
  expect(others).toEqual([]);
  expect(row).toEqual({
    case: "http-list",
    measure: "cpu",
    before: { median: 20, min: 10, max: 40 },
    now: { median: 30, min: 11, max: 42 },
    ratio: 1.1,
  });
});

test("the gate compares the smallest values of all runs, which other load has disturbed least", () => {
  const run = (before: number[], now: number[]) => ({
    case: httpListCase,
    outcomes: new Map([
      ["before", { samples: before.map((cpu) => ({ cpu })) }],
      ["ours", { samples: now.map((cpu) => ({ cpu })) }],
    ]),
  });
  const both = joined([run([20, 90], [30, 22]), run([40, 25], [80, 33])]);
  expect(compared(both, ["cpu"], ratioOfLeast)).toMatchObject([{ ratio: 1.1 }]);
});

test("a server that fails in one of several runs has failed", () => {
  const of = (ours: Outcome) => ({ case: httpListCase, outcomes: new Map([["ours", ours]]) });
  const failed = of({ failure: "the status is 500" });
  const measured = of({ samples: [{ cpu: 1 }] });
  for (const both of [joined([failed, measured]), joined([measured, failed])]) {
    expect(failureOf(both, ["ours"])).toBe("ours: the status is 500");
  }
});

test("a server that could not be measured is an error, not a good result", () => {
  const outcomes = new Map([
    ["before", { samples: [{ cpu: 1 }] }],
    ["ours", { failure: "the status is 500" }],
  ]);
  expect(() => compared({ case: httpListCase, outcomes }, ["cpu"])).toThrow(
    "http-list, ours: the status is 500",
  );
});

test("the baseline is a commit", () => {
  expect(baseline()).toMatch(/^[0-9a-f]{40}$/);
});
