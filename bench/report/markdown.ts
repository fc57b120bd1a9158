import { type Measure, units } from "../case.ts";
import { type CaseResult, type Outcome, spreadOf, type Verdict } from "../result.ts";
import { headings, number, spread, subject, word } from "./format.ts";

const measures = Object.keys(units) as Measure[];

/** The report of a whole run. */
export function markdownReport(
  results: readonly CaseResult[],
  verdicts: readonly Verdict[],
  machine: readonly string[],
): string {
  return [
    "# Measurements",
    "Written by `npm run bench`; how to read it is in [performance](../docs/performance.md). Absolute\n" +
      "values are this machine's, ratios hold on others. A value is the median of all runs, with the least\n" +
      "and the most.",
    "![CPU time per request of this service and its peers](results.svg)",
    machine.map((line) => `- ${line}`).join("\n"),
    "## Targets",
    targetRows(verdicts),
    ...results.map(caseReport),
  ]
    .join("\n\n")
    .concat("\n");
}

/** What was measured in one case. */
export function caseReport(result: CaseResult): string {
  const { name, about } = result.case;
  return [`## ${name}`, `${about}.`, caseRows(result)].join("\n\n");
}

function targetRows(verdicts: readonly Verdict[]): string {
  return table(
    ["Case", "What", "At most", "Measured", ""],
    verdicts.map((verdict) => [
      verdict.target.case,
      subject(verdict),
      number(verdict.target.most),
      verdict.measured === undefined ? "–" : number(verdict.measured),
      verdict.failure ?? word(verdict),
    ]),
  );
}

function caseRows({ outcomes }: CaseResult): string {
  const shown = measures.filter((measure) =>
    [...outcomes.values()].some((outcome) => spreadOf(outcome, measure)),
  );
  const heads = shown.map((measure) => `${headings[measure]}, ${units[measure]}`);
  const rows = [...outcomes].map(([name, outcome]) => [name, ...cells(outcome, shown)]);
  return table(["", ...heads], rows);
}

function cells(outcome: Outcome, shown: readonly Measure[]): string[] {
  if ("failure" in outcome) {
    return [`failed: ${outcome.failure}`, ...shown.slice(1).map(() => "")];
  }
  return shown.map((measure) => {
    const values = spreadOf(outcome, measure);
    return values ? spread(values) : "";
  });
}

/** A table, as Markdown has it. */
export function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|").replaceAll("\n", " ")).join(" | ")} |`;
  return [line(heads), line(heads.map(() => "---")), ...rows.map(line)].join("\n");
}
