import { spread } from "../report/format.ts";
import { table } from "../report/markdown.ts";
import type { Curve } from "./subject.ts";

/** Returns the report of a complete run. */
export function scaleReport(curves: CurvesByAxis, machine: readonly string[]): string {
  return [
    "# How costs grow",
    "`npm run task bench-scale` writes this page. [Performance](../docs/contributor/performance.md#how-costs-grow) has the\n" +
      "commands. A value is the median of all runs, with minimum and maximum.",
    "![Costs by the number of items, accounts and holds](scale.svg)",
    machine.map((line) => `- ${line}`).join("\n"),
    scaleTables(curves),
  ]
    .join("\n\n")
    .concat("\n");
}

/** The curves by what grows: `items`, `accounts` or `holds`. */
export type CurvesByAxis = Readonly<Record<string, readonly Curve[]>>;

/** Returns a table of all values. */
export function scaleTables(curves: CurvesByAxis): string {
  return Object.entries(curves)
    .flatMap(([axis, each]) => [`## By the number of ${axis}`, curveTable(each, axis)])
    .join("\n\n");
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
