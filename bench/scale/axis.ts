/** Where a value is within an axis, from 0 to 1. */
export type Scale = (value: number) => number;

/** Values that an axis begins and ends at, and names. */
export type Ticks = readonly number[];

/** An axis on which each value is as far from its double as any other. */
export function logarithmic(ticks: Ticks): Scale {
  const first = Math.log10(ticks[0] ?? 1);
  const last = Math.log10(ticks.at(-1) ?? 1);
  return (value) => (Math.log10(value) - first) / (last - first);
}

/** An axis from 0. */
export function linear(ticks: Ticks): Scale {
  return (value) => value / (ticks.at(-1) ?? 1);
}

/** Powers of ten around all values. */
export function powers(values: readonly number[]): Ticks {
  const first = Math.floor(Math.log10(Math.min(...values)));
  const last = Math.ceil(Math.log10(Math.max(...values)));
  return Array.from({ length: last - first + 1 }, (_, index) => 10 ** (first + index));
}

/** 0 and round numbers above it, few of them, to the most or a little more. */
export function steps(most: number): Ticks {
  const power = 10 ** Math.floor(Math.log10(most));
  const step =
    [0.2, 0.5, 1, 2].map((each) => each * power).find((each) => most / each <= 5) ?? most;
  return Array.from({ length: Math.ceil(most / step) + 1 }, (_, index) => index * step);
}
