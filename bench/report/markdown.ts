import { type Measure, measures } from "../case.ts";
import { type CaseResult, type Outcome, spreadOf, type Verdict } from "../result.ts";
import { number, spread, subject, withUnit, word } from "./format.ts";

/** Returns the report of a complete run. */
export function markdownReport(
  results: readonly CaseResult[],
  verdicts: readonly Verdict[],
  machine: readonly string[],
): string {
  return [
    "# Measurements",
    "`npm run bench` writes this page. [Performance](../docs/contributor/performance.md) explains how to read it. Absolute\n" +
      "values depend on the machine; ratios are similar on others. A value is the median of all runs, with minimum\n" +
      "and maximum.",
    "![CPU time per request of this service and its peers](results.svg)",
    machine.map((line) => `- ${line}`).join("\n"),
    "## Targets",
    targetRows(verdicts),
    ...results.map(caseReport),
  ]
    .join("\n\n")
    .concat("\n");
}

/** Returns the results of one case. */
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
  const heads = shown.map(withUnit);
  const rows = [...outcomes].map(([name, outcome]) => [name, ...cells(outcome, shown)]);
  return table(["", ...heads], rows);
}

function cells(outcome: Outcome, shown: readonly Measure[]): string[] {
  if ("failure" in outcome) return [`failed: ${outcome.failure}`, ...shown.slice(1).map(() => "")];
  return shown.map((measure) => {
    const values = spreadOf(outcome, measure);
    return values ? spread(values) : "";
  });
}

/** Returns a Markdown table. */
export function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|").replaceAll("\n", " ")).join(" | ")} |`;
  return [line(heads), line(heads.map(() => "---")), ...rows.map(line)].join("\n");
}
