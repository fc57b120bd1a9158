import { spread } from "../report/format.ts";
import { table } from "../report/markdown.ts";
import type { Curve } from "./subject.ts";

/** Returns the report of a complete run. */
export function scaleReport(
  stock: readonly Curve[],
  accounts: readonly Curve[],
  machine: readonly string[],
): string {
  return [
    "# How costs grow",
    "`npm run bench:scale` writes this page. [Performance](../docs/contributor/performance.md#how-costs-grow) explains how\n" +
      "to read it. A value is the median of all runs, with minimum and maximum.",
    "![Costs by the number of items and of accounts](scale.svg)",
    machine.map((line) => `- ${line}`).join("\n"),
    scaleTables(stock, accounts),
  ]
    .join("\n\n")
    .concat("\n");
}

/** Returns a table of all values. */
export function scaleTables(stock: readonly Curve[], accounts: readonly Curve[]): string {
  return [
    "## By the number of items",
    curveTable(stock, "items"),
    "## By the number of accounts",
    curveTable(accounts, "accounts"),
  ].join("\n\n");
}

function curveTable(curves: readonly Curve[], sized: string): string {
  const sizes = [...(curves[0]?.bySize.keys() ?? [])];
  const rows = curves.flatMap(({ title, lines, bySize }) =>
    lines.map(({ name, unit }, line) => [
      line === 0 ? title : "",
      `${name}, ${unit}`,
      ...sizes.map((size) => {
        const values = bySize.get(size)?.[line];
        return values ? spread(values) : "";
      }),
    ]),
  );
  return table(["", "", ...sizes.map((size) => `${size.toLocaleString("en")} ${sized}`)], rows);
}
