import { type Case, type Home, type Measure, ours } from "./case.ts";
import { type CaseResult, failureOf, ratioOf, type Spread, spreadOf } from "./result.ts";
import { serverOfCheckout } from "./servers.ts";

/** The name of the other checkout's server among the contestants. */
const before = "before";

/** Another checkout, with its own data. */
export interface Checkout {
  /** Its folder. Its dependencies are installed. */
  readonly folder: string;
  readonly home: Home;
}

/** A measure of both checkouts. */
export interface Comparison {
  readonly case: string;
  readonly measure: Measure;
  readonly before: Spread;
  readonly now: Spread;
  /** now / before. */
  readonly ratio: number;
}

/**
 * Makes cases that compare this checkout with another one instead of the peers. Leaves out cases that do not start our
 * server, and those that call the code of this checkout.
 */
export function againstCheckout(cases: readonly Case[], { folder, home }: Checkout): Case[] {
  return cases.flatMap((each) => {
    const own = each.contestants.find(({ name }) => name === ours);
    if (!own || each.callsOwnCode) return [];
    const other = { ...own, name: before, server: serverOfCheckout(folder, own.server), home };
    return { ...each, contestants: [other, own] };
  });
}

/**
 * Compares the measures of both checkouts.
 *
 * @param ratio of our server and the other one; by default that of runs that followed each other
 * @throws Error when a server could not be measured
 */
export function compared(
  result: CaseResult,
  measures: readonly Measure[],
  ratio: typeof ratioOf = ratioOf,
): Comparison[] {
  const { name } = result.case;
  const was = result.outcomes.get(before);
  const is = result.outcomes.get(ours);
  const failure = was && is ? failureOf(result, [before, ours]) : "not measured";
  if (failure !== undefined) throw new Error(`${name}, ${failure}`);
  return measures.flatMap((measure) => {
    const spreads = { before: spreadOf(was, measure), now: spreadOf(is, measure) };
    const value = ratio(is, was, measure);
    if (!spreads.before || !spreads.now || value === undefined) return [];
    return { case: name, measure, before: spreads.before, now: spreads.now, ratio: value };
  });
}
