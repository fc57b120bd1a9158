import type { Comparison } from "../against.ts";
import type { Verdict } from "../result.ts";
import { number, spread, subject, withUnit, word } from "./format.ts";

/** Returns targets and measurements as a table for a terminal. */
export function targetTable(verdicts: readonly Verdict[]): string {
  return aligned([
    ["case", "what", "target", "measured", ""],
    ...verdicts.map((verdict) => [
      verdict.target.case,
      subject(verdict),
      number(verdict.target.most),
      verdict.measured === undefined ? "-" : number(verdict.measured),
      verdict.failure ?? word(verdict),
    ]),
  ]);
}

/** Returns the comparisons of two checkouts as a table for a terminal. */
export function comparisonTable(comparisons: readonly Comparison[]): string {
  return aligned([
    ["case", "what", "before", "now", "now / before"],
    ...comparisons.map((each) => [
      each.case,
      withUnit(each.measure),
      spread(each.before),
      spread(each.now),
      each.ratio.toFixed(3),
    ]),
  ]);
}

/** The first two columns are text, the others numbers. */
function aligned(rows: readonly (readonly string[])[]): string {
  const widths = [0, 1, 2, 3].map((column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  return rows
    .map((row) => row.map((cell, column) => pad(cell, column, widths[column] ?? 0)).join("  "))
    .join("\n");
}

function pad(cell: string, column: number, width: number): string {
  return column === 2 || column === 3 ? cell.padStart(width) : cell.padEnd(width);
}
