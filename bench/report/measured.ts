/**
 * Returns the median that a report of `npm run bench` has for a server.
 *
 * @param report the text of bench/results.md
 * @param heading of the measure, with its unit: `CPU, µs/req`
 * @returns undefined if the case has no such server
 * @throws Error if the report has no such case, or the case no such measure
 */
export function medianIn(
  report: string,
  caseName: string,
  server: string,
  heading: string,
): number | undefined {
  const section = report.split(`\n## ${caseName}\n`)[1]?.split("\n## ")[0];
  if (section === undefined) throw new Error(`the results have no case ${caseName}`);
  const [heads, ...rows] = tableRows(section);
  const column = heads?.indexOf(heading) ?? -1;
  if (column < 0) throw new Error(`the case ${caseName} has no ${heading}`);
  const cell = rows.find(([name]) => name === server)?.[column];
  return cell === undefined ? undefined : firstNumber(cell);
}

/** Returns the cells of the rows of a table in Markdown, without the line below its head. */
export function tableRows(markdown: string): string[][] {
  return [...markdown.matchAll(/^\| (.*) \|$/gm)]
    .map(([, row = ""]) => row.split(" | "))
    .filter(([first]) => first !== "---");
}

/** Returns the number at the beginning of a cell such as `1,234 (900 to 2,000)`. */
export function firstNumber(cell: string): number {
  return Number(cell.split(" ", 1)[0]?.replaceAll(",", ""));
}
