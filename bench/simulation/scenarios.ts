import type { Scenario } from "./simulate.ts";

/** The part of the requests that change an item. */
export const updates = 0.1;
/** The time from a process to Redis in one data center, and back, each. */
export const networkMicros = 100;

/** A scenario with a constant rate. */
export interface RateScenario extends Scenario {
  readonly title: string;
  readonly load: { readonly rate: number };
}

const shared = { updates, networkMicros };

/** Growing rates of requests. */
export const growth: readonly RateScenario[] = [
  { title: "1,000/s", ...shared, load: { rate: 1_000 }, processes: 1, primaries: 1, seconds: 4 },
  { title: "10,000/s", ...shared, load: { rate: 10_000 }, processes: 1, primaries: 1, seconds: 2 },
  { title: "10,000/s", ...shared, load: { rate: 10_000 }, processes: 2, primaries: 1, seconds: 2 },
  {
    title: "100,000/s",
    ...shared,
    load: { rate: 100_000 },
    processes: 16,
    primaries: 1,
    seconds: 0.4,
  },
  {
    title: "100,000/s",
    ...shared,
    load: { rate: 100_000 },
    processes: 16,
    primaries: 4,
    stockAlone: true,
    seconds: 0.4,
  },
  {
    title: "1,000,000/s",
    ...shared,
    load: { rate: 1_000_000 },
    processes: 160,
    primaries: 33,
    stockAlone: true,
    seconds: 0.05,
  },
];

const cluster = {
  networkMicros,
  load: { rate: 100_000 },
  seconds: 0.25,
  primaries: 4,
  stockAlone: true,
} as const;

/** Ways to serve 100,000 requests a second, some of which fail. */
export const worked: readonly RateScenario[] = [
  { title: "10 % updates", ...cluster, updates: 0.1, processes: 8 },
  { title: "1 % updates, more processes", ...cluster, updates: 0.01, processes: 12 },
  { title: "1 % updates", ...cluster, updates: 0.01, processes: 8 },
  { title: "1 % updates, cores twice as fast", ...cluster, updates: 0.01, processes: 5, speed: 2 },
  { title: "10 % updates, cores twice as fast", ...cluster, updates: 0.1, processes: 5, speed: 2 },
];
