import { type Case, type Home, type Measure, ours } from "./case.ts";
import { type Outcome, rangeOf, type Spread } from "./result.ts";
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
  /** The median of the ratios of runs that followed each other, now / before. */
  readonly ratio: number;
}

/**
 * Makes a case that compares this checkout with another one instead of the peers.
 *
 * @returns undefined for a case that does not start our server, or changes the data by the code of this checkout
 */
export function againstCheckout(each: Case, { folder, home }: Checkout): Case | undefined {
  const own = each.contestants.find(({ name }) => name === ours);
  if (!own || each.callsOwnCode) return undefined;
  const other = { ...own, name: before, server: serverOfCheckout(folder, own.server), home };
  return { ...each, contestants: [other, own] };
}

/**
 * Compares the measures of both checkouts.
 *
 * @throws Error when a server could not be measured
 */
export function compared(
  name: string,
  outcomes: ReadonlyMap<string, Outcome>,
  measures: readonly Measure[],
): Comparison[] {
  const [was, is] = [before, ours].map((each) => {
    const outcome = outcomes.get(each);
    if (!outcome || "failure" in outcome) {
      throw new Error(`${name}, ${each}: ${outcome ? outcome.failure : "not measured"}`);
    }
    return outcome.samples;
  });
  return measures.flatMap((measure) => {
    const pairs = (was ?? []).flatMap((sample, round) => {
      const old = sample[measure];
      const now = is?.[round]?.[measure];
      return old === undefined || now === undefined ? [] : [{ old, now }];
    });
    if (pairs.length === 0) return [];
    return {
      case: name,
      measure,
      before: rangeOf(pairs.map(({ old }) => old)),
      now: rangeOf(pairs.map(({ now }) => now)),
      ratio: rangeOf(pairs.map(({ old, now }) => now / old)).median,
    };
  });
}
