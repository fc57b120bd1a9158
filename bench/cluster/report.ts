import { number, spread } from "../report/format.ts";
import { table } from "../report/markdown.ts";
import type { DecisionCost } from "./decisions.ts";
import type { RateCost } from "./rates.ts";
import type { RequestCost } from "./requests.ts";
import type { Measured } from "./rounds.ts";
import type { StockCost } from "./stock.ts";

/** Returns the report of a complete run. */
export function clusterReport(sections: readonly string[], machine: readonly string[]): string {
  return [
    "# Redis Cluster",
    "`npm run task bench-cluster` writes this page. [Scaling](../docs/operator/scaling.md) explains what follows from it. CPU time is\n" +
      "user and system time in µs. A value is the median of all runs, with minimum and maximum.",
    "![Redis CPU of a decision by the number of primaries](cluster.svg)",
    machine.map((line) => `- ${line}`).join("\n"),
    ...sections,
  ]
    .join("\n\n")
    .concat("\n");
}

function section(title: string, about: string, rows: string): string {
  return [`## ${title}`, about, rows].join("\n\n");
}

/** Describes decisions by the number of script calls. */
export function batchSection(batches: readonly Measured<DecisionCost>[]): string {
  return section(
    "Script calls that share the requests of a tick",
    "CPU time of one decision of the limiter, in the process that requests it and in a cluster of one primary.",
    table(
      ["", "process, µs", "Redis, µs"],
      batches.map(({ title, values }) => [title, spread(values.process), spread(values.all)]),
    ),
  );
}

/** Describes decisions by the number of primaries, for each kind of tick. */
export function shareSection(
  shares: ReadonlyMap<string, readonly Measured<DecisionCost>[]>,
): string {
  return section(
    "Decisions by the number of primaries",
    "CPU time of a primary, divided by the number of all decisions, for 1,000 accounts in 64 partitions. `× n` is the value of\n" +
      "the busiest primary times the number of primaries, divided by the value of a single primary. It would be 1.00 if the\n" +
      "primaries shared the work evenly, and together needed as much CPU time as a single primary.",
    table(
      ["requests", "primaries", "busiest, µs", "all, µs", "process, µs", "× n"],
      [...shares].flatMap(([name, row]) =>
        row.map(({ values }, index) => [
          index === 0 ? name : "",
          String(index + 1),
          spread(values.busiest),
          spread(values.all),
          spread(values.process),
          number(((index + 1) * values.busiest.median) / (row[0]?.values.busiest.median ?? 1)),
        ]),
      ),
    ),
  );
}

/** Describes requests with a single Redis, and with a cluster. */
export function requestSection(
  requests: ReadonlyMap<string, readonly Measured<RequestCost>[]>,
): string {
  return section(
    "Requests over HTTP, single Redis and cluster",
    "64 connections, 100 accounts. The cluster has three primaries. Redis CPU is the sum over all of them.",
    table(
      ["", "server, µs", "Redis, µs", "server / single"],
      [...requests.values()].flatMap((row) =>
        row.map(({ title, values }) => [
          title,
          spread(values.server),
          spread(values.redis),
          number(values.server.median / (row[0]?.values.server.median ?? 1)),
        ]),
      ),
    ),
  );
}

/** Describes what the stock costs Redis. */
export function stockSection(stock: readonly Measured<StockCost>[]): string {
  return section(
    "The stock",
    "CPU time of one event-loop tick, for a stock of 1,000 items. Reads have a cache and a connection of their own.",
    table(
      ["", "processes, µs", "Redis, µs"],
      stock.map(({ title, values }) => [title, spread(values.process), spread(values.redis)]),
    ),
  );
}

/** Describes one process at given rates. */
export function rateSection(rates: ReadonlyMap<number, Measured<RateCost>>): string {
  return section(
    "One process and a single Redis at a given rate",
    "`GET /v1/inventory`, 10 items, 100 accounts. The load keeps this rate even if responses are late.",
    table(
      ["requests a second", "server, µs/req", "Redis, µs/req", "p50, µs", "p99, µs"],
      [...rates].map(([rate, { values }]) => [
        rate.toLocaleString("en"),
        spread(values.server),
        spread(values.redis),
        spread(values.p50),
        spread(values.p99),
      ]),
    ),
  );
}
