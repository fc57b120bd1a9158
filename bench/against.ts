import { type Case, measures, ours } from "./case.ts";
import { number, spread, withUnit } from "./report/format.ts";
import { table } from "./report/markdown.ts";
import { type CaseResult, spreadOf } from "./result.ts";
import { serverOfCheckout } from "./servers.ts";

const before = "before";

/**
 * Makes a case that compares this checkout with another one instead of the peers.
 *
 * @param checkout folder of the other checkout, with its dependencies installed
 * @returns an empty list for a case that does not start our server
 */
export function againstCheckout(each: Case, checkout: string): Case[] {
  const own = each.contestants.find(({ name }) => name === ours);
  if (!own || each.withoutServer) return [];
  const other = { ...own, name: before, server: serverOfCheckout(checkout, own.server) };
  return [{ ...each, contestants: [other, own] }];
}

/** Returns a table of every measure in both checkouts. */
export function comparison(results: readonly CaseResult[]): string {
  const rows = results.flatMap(({ case: { name }, outcomes }) =>
    measures.flatMap((measure) => {
      const was = spreadOf(outcomes.get(before), measure);
      const is = spreadOf(outcomes.get(ours), measure);
      if (!was || !is) return [];
      return [[name, withUnit(measure), spread(was), spread(is), number(is.median / was.median)]];
    }),
  );
  return table(["Case", "What", "Before", "Now", "Now / before"], rows);
}
