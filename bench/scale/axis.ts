/** Returns the position of a value on an axis, from 0 to 1. */
export type Scale = (value: number) => number;

/** The first, last and labeled values of an axis. */
export type Ticks = readonly number[];

/** A logarithmic axis. */
export function logarithmic(ticks: Ticks): Scale {
  const first = Math.log10(ticks[0] ?? 1);
  const last = Math.log10(ticks.at(-1) ?? 1);
  return (value) => (Math.log10(value) - first) / (last - first);
}

/** A linear axis from 0. */
export function linear(ticks: Ticks): Scale {
  return (value) => value / (ticks.at(-1) ?? 1);
}

/** Returns powers of ten that enclose all values. */
export function powers(values: readonly number[]): Ticks {
  const first = Math.floor(Math.log10(Math.min(...values)));
  const last = Math.ceil(Math.log10(Math.max(...values)));
  return Array.from({ length: last - first + 1 }, (_, index) => 10 ** (first + index));
}

/** Returns 0 and a few round numbers, up to the maximum or slightly more. */
export function steps(most: number): Ticks {
  const power = 10 ** Math.floor(Math.log10(most));
  const step =
    [0.2, 0.5, 1, 2].map((each) => each * power).find((each) => most / each <= 5) ?? most;
  return Array.from({ length: Math.ceil(most / step) + 1 }, (_, index) => index * step);
}
