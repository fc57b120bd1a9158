import type { AccountUsage, RequestCounts } from "../../../../../gen/usage/v1/usage_pb.ts";

/** The outcomes of a request, from the bottom of a stacked bar to its top. */
export const outcomes = ["admitted", "limited", "banned"] as const;

export type Outcome = (typeof outcomes)[number];

/** The requests of one minute or one day. */
export interface UsagePoint {
  /** Start, in seconds since the epoch. */
  readonly start: number;
  readonly counts: Readonly<Record<Outcome, number>>;
}

const none: UsagePoint["counts"] = { admitted: 0, limited: 0, banned: 0 };

/** Returns counts as numbers. A count above 2^53 loses digits, which a plot would not show. */
export function countsOf(requests: RequestCounts | undefined): UsagePoint["counts"] {
  if (!requests) return none;
  const { admitted, limited, banned } = requests;
  return { admitted: Number(admitted), limited: Number(limited), banned: Number(banned) };
}

/** Returns the minutes of the last hour. */
export function minutePoints(usage: AccountUsage): UsagePoint[] {
  return usage.lastHour.map(({ startAt, requests }) => ({
    start: Number(startAt?.seconds ?? 0n),
    counts: countsOf(requests),
  }));
}

/** Returns the days of the last 30 days. A day begins at midnight in UTC. */
export function dayPoints(usage: AccountUsage): UsagePoint[] {
  return usage.lastDays.map(({ date, requests }) => ({
    start: Date.parse(`${date}T00:00:00Z`) / 1_000,
    counts: countsOf(requests),
  }));
}

/** Returns the sums of some points by outcome. */
export function totals(points: readonly UsagePoint[]): UsagePoint["counts"] {
  const sums = { ...none };
  for (const { counts } of points) {
    for (const outcome of outcomes) sums[outcome] += counts[outcome];
  }
  return sums;
}

/**
 * Returns the columns of a stacked plot: the starts, then for each outcome the sum of itself and of the outcomes below
 * it. The highest column comes first, so that the lower ones are painted over it.
 */
export function stack(points: readonly UsagePoint[]): number[][] {
  const starts = points.map(({ start }) => start);
  const columns = outcomes.map((_, index) =>
    points.map(({ counts }) =>
      outcomes.slice(0, index + 1).reduce((sum, outcome) => sum + counts[outcome], 0),
    ),
  );
  return [starts, ...columns.reverse()];
}
