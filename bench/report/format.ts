import { type Measure, units } from "../case.ts";
import type { Spread, Verdict } from "../result.ts";

/** Headings of the measures. */
const headings: Readonly<Record<Measure, string>> = {
  cpu: "CPU",
  redisCpu: "Redis CPU",
  allocated: "allocated",
  systemCalls: "reads and writes",
  promises: "promises",
  ticks: "ticks",
  throughput: "throughput",
  p50: "p50",
  p99: "p99",
  rss: "RSS",
  start: "start",
  memory: "memory",
  growth: "growth",
  lost: "lost goodput",
};

/** Formats a number with three significant digits, as an integer from 100 on. */
export function number(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString("en") : value.toPrecision(3);
}

/** Returns `12.5 (12.1 to 13.0)`, or only the median if all runs agree. */
export function spread({ median, min, max }: Spread): string {
  const [middle, low, high] = [median, min, max].map(number);
  return low === high ? `${middle}` : `${middle} (${low} to ${high})`;
}

/** Formats a measure with its unit: `CPU, µs/req`. */
export function withUnit(measure: Measure): string {
  return `${headings[measure]}, ${units[measure]}`;
}

/** Returns text such as `CPU / bare-http`, or `lost goodput − bare-http`. */
export function subject({ target: { measure, peer } }: Verdict): string {
  if (!peer) return withUnit(measure);
  return `${headings[measure]} ${measure === "lost" ? "−" : "/"} ${peer}`;
}

/** Returns `met`, `missed` or `failed`. */
export function word({ met, measured }: Verdict): string {
  return measured === undefined ? "failed" : met ? "met" : "missed";
}
