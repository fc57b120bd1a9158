import type { LargestRequests } from "../../test/support/largest-requests.ts";
import type { Cost } from "./measure.ts";

/** Returns the table of costs as Markdown. @param largest all requests, also those that are not measured */
export function proportionReport(
  costs: readonly Cost[],
  largest: readonly LargestRequests[],
): string {
  const rows = costs.map(proportionRow);
  const others = largest.flatMap(({ make, title }) =>
    typeof make === "string" ? [`| ${title} | ${make} |`] : [],
  );
  return [
    "# Cost of each method",
    "",
    "`npm run task bench-proportion` writes this page: the CPU time of the most expensive calls of each method, in µs. The time is",
    "divided by the number of requests that a call counts as. `× item` is the same in reads of an item.",
    "`test/bench/proportion.slow.test.ts` fails if a method is more than 25 times as expensive.",
    "",
    row(["Method and input", "Requests", "Redis", "× item", "Process", "× item"]),
    "| --- | ---: | ---: | ---: | ---: | ---: |",
    ...rows,
    "",
    "These are not measured:",
    "",
    "| Method | Why |",
    "| --- | --- |",
    ...others,
    "",
  ].join("\n");
}

/** Returns the row of a cost. */
export function proportionRow(cost: Cost): string {
  const { title, requests, redis, redisRatio, process, processRatio } = cost;
  const numbers = [
    redis.toFixed(0),
    redisRatio.toFixed(1),
    process.toFixed(0),
    processRatio.toFixed(1),
  ];
  return row([title, requests, ...numbers]);
}

function row(cells: readonly (string | number)[]): string {
  return `| ${cells.join(" | ")} |`;
}
