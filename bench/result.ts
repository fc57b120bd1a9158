import { type Case, type Measure, ours, type Sample } from "./case.ts";
import { median } from "./median.ts";
import type { Target } from "./targets.ts";

/** The result of a contestant: its runs, or the reason why there are none. */
export type Outcome = { readonly samples: readonly Sample[] } | { readonly failure: string };

/** The results of a case. */
export interface CaseResult {
  readonly case: Case;
  readonly outcomes: ReadonlyMap<string, Outcome>;
}

/** The values of one measure in several runs. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** How a measurement compares with its target. */
export interface Verdict {
  readonly target: Target;
  /** Our value, compared with the peer's if there is one; undefined if either was not measured. */
  readonly measured: number | undefined;
  readonly met: boolean;
  /** The reason why there is no value. */
  readonly failure?: string;
}

/** @returns undefined if the contestant failed or does not have this measure */
export function spreadOf(outcome: Outcome | undefined, measure: Measure): Spread | undefined {
  if (!outcome || "failure" in outcome) return undefined;
  const values = outcome.samples.flatMap((sample) => sample[measure] ?? []);
  return values.length === 0 ? undefined : rangeOf(values);
}

/** @param values at least one */
export function rangeOf(values: readonly number[]): Spread {
  return { median: median(values), min: Math.min(...values), max: Math.max(...values) };
}

/** Compares a target with the measurement. @returns undefined if its case did not run */
export function judge(target: Target, results: readonly CaseResult[]): Verdict | undefined {
  const result = results.find((each) => each.case.name === target.case);
  if (!result) return undefined;
  const failure = failureOf(result, [ours, ...(target.peer ? [target.peer] : [])]);
  const own = result.outcomes.get(ours);
  const measured =
    target.peer === undefined
      ? spreadOf(own, target.measure)?.median
      : ratioOf(own, result.outcomes.get(target.peer), target.measure);
  if (measured === undefined) {
    return { target, measured: undefined, met: false, failure: failure ?? "not measured" };
  }
  return { target, measured, met: measured <= target.most };
}

/**
 * Returns the median of the ratios of a measure in runs that followed each other: load on the machine that changes
 * between two rounds affects both runs of a round alike. Of `lost`, which is a part of a whole, it is the difference.
 */
export function ratioOf(
  own: Outcome | undefined,
  base: Outcome | undefined,
  measure: Measure,
): number | undefined {
  if (!own || !base || "failure" in own || "failure" in base) return undefined;
  const ratios = own.samples.flatMap((sample, round) => {
    const value = sample[measure];
    const other = base.samples[round]?.[measure];
    if (value === undefined || other === undefined) return [];
    return measure === "lost" ? value - other : value / other;
  });
  return ratios.length === 0 ? undefined : median(ratios);
}

/**
 * Returns the ratio of the smallest values of a measure. Other load on the machine only adds to what a request costs, so
 * the smallest of many runs is nearest to the cost without it.
 */
export function ratioOfLeast(
  own: Outcome | undefined,
  base: Outcome | undefined,
  measure: Measure,
): number | undefined {
  const [least, other] = [spreadOf(own, measure)?.min, spreadOf(base, measure)?.min];
  return least === undefined || other === undefined ? undefined : least / other;
}

/** Joins the results of several runs of a case. A contestant that failed in one of them has failed. */
export function joined(results: readonly [CaseResult, ...CaseResult[]]): CaseResult {
  const outcomes = new Map<string, Outcome>();
  for (const result of results) {
    for (const [name, outcome] of result.outcomes) {
      const before = outcomes.get(name);
      const isJoined = before && "samples" in before && "samples" in outcome;
      if (isJoined) outcomes.set(name, { samples: [...before.samples, ...outcome.samples] });
      else if (!before || "samples" in before) outcomes.set(name, outcome);
    }
  }
  return { case: results[0].case, outcomes };
}

/** Returns why one of these contestants has no runs; undefined when all have. */
export function failureOf({ outcomes }: CaseResult, names: readonly string[]): string | undefined {
  for (const name of names) {
    const outcome = outcomes.get(name);
    if (outcome && "failure" in outcome) return `${name}: ${outcome.failure}`;
  }
  return undefined;
}
