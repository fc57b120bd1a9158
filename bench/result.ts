import { type Case, type Measure, ours, type Sample } from "./case.ts";
import { median } from "./median.ts";
import type { Target } from "./targets.ts";

/** What came of a contestant: runs, or why there are none. */
export type Outcome = { readonly samples: readonly Sample[] } | { readonly failure: string };

/** What came of a case. */
export interface CaseResult {
  readonly case: Case;
  readonly outcomes: ReadonlyMap<string, Outcome>;
}

/** Several runs of one measure. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** How a target was met. */
export interface Verdict {
  readonly target: Target;
  /** Our value, by the peer's where there is one; undefined when either was not measured. */
  readonly measured: number | undefined;
  readonly met: boolean;
  /** Why there is no value. */
  readonly failure?: string;
}

/** @returns undefined when the contestant failed, or has no such measure */
export function spreadOf(outcome: Outcome | undefined, measure: Measure): Spread | undefined {
  if (!outcome || "failure" in outcome) {
    return undefined;
  }
  const values = outcome.samples.flatMap((sample) => sample[measure] ?? []);
  return values.length === 0 ? undefined : rangeOf(values);
}

/** @param values one at least */
export function rangeOf(values: readonly number[]): Spread {
  return { median: median(values), min: Math.min(...values), max: Math.max(...values) };
}

/** Holds a target against what was measured. @returns undefined when its case was not run */
export function judge(target: Target, results: readonly CaseResult[]): Verdict | undefined {
  const result = results.find((each) => each.case.name === target.case);
  if (!result) {
    return undefined;
  }
  const failure = failureOf(result, [ours, ...(target.peer ? [target.peer] : [])]);
  const own = spreadOf(result.outcomes.get(ours), target.measure)?.median;
  const base = target.peer ? spreadOf(result.outcomes.get(target.peer), target.measure)?.median : 1;
  if (own === undefined || base === undefined) {
    return { target, measured: undefined, met: false, failure: failure ?? "not measured" };
  }
  const measured = own / base;
  return { target, measured, met: measured <= target.most };
}

function failureOf({ outcomes }: CaseResult, names: readonly string[]): string | undefined {
  for (const name of names) {
    const outcome = outcomes.get(name);
    if (outcome && "failure" in outcome) {
      return `${name}: ${outcome.failure}`;
    }
  }
  return undefined;
}
