import { expect, test } from "vitest";
import { compared } from "../../bench/against.ts";
import { httpListCase } from "../../bench/cases/http-list.ts";
import { baseline, compareUntilClear, isLoss } from "../../bench/gate.ts";
import { failureOf, joined, type Outcome, ratioOfLeast } from "../../bench/result.ts";

/** Compares a case whose starts cost this much, the last of them again and again; the baseline costs 100. */
async function gate(...costs: readonly (number | readonly number[])[]) {
  let starts = 0;
  const [row] = await compareUntilClear(async () => {
    const samples = [costs[Math.min(starts, costs.length - 1)] ?? 0].flat();
    starts += 1;
    const outcomes = new Map([
      ["before", { samples: samples.map(() => ({ cpu: 100 })) }],
      ["ours", { samples: samples.map((cpu) => ({ cpu })) }],
    ]);
    return { case: httpListCase, outcomes };
  });
  return { starts, isLoss: row && isLoss(row) };
}

test("the gate fails if a row is more than 8 % above the baseline on every start, of eight", async () => {
  expect(await gate(108)).toEqual({ starts: 2, isLoss: false });
  expect(await gate(130, 107)).toEqual({ starts: 2, isLoss: false });
  expect(await gate(130, 130, 130, 130, 107)).toEqual({ starts: 5, isLoss: false });
  expect(await gate(109)).toEqual({ starts: 8, isLoss: true });
  // The least cost is low, or that of most runs.
  expect(await gate([130, 130, 107])).toEqual({ starts: 2, isLoss: false });
  expect(await gate([107, 107, 130])).toEqual({ starts: 2, isLoss: false });
});

test("a single fast moment of the baseline is no loss", async () => {
  let starts = 0;
  const [row] = await compareUntilClear(async (start) => {
    starts += 1;
    const before = { samples: [start === 1 ? 80 : 100, 100, 100].map((cpu) => ({ cpu })) };
    const own = { samples: [104, 130, 130].map((cpu) => ({ cpu })) };
    const outcomes = new Map([
      ["before", before],
      ["ours", own],
    ]);
    return { case: httpListCase, outcomes };
  });
  expect([starts, row && isLoss(row)]).toEqual([3, false]);
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
