import { ours } from "../case.ts";
import { type CaseResult, spreadOf } from "../result.ts";
import { number } from "./format.ts";

/** The cases in the chart, with their titles. */
const panels = [
  { name: "http-list", title: "GET /v1/inventory" },
  { name: "grpc-list", title: "gRPC ListInventory" },
  { name: "http-update", title: "PATCH /v1/inventory/{petId}" },
] as const;

const width = 760;
const labelWidth = 170;
const barWidth = 460;
const rowHeight = 22;
const titleHeight = 34;

/** Colors for light and dark pages. */
const style = `
  text { font: 13px system-ui, sans-serif; fill: #1f2328; }
  .title { font-weight: 600; }
  .ours { fill: #1a7f37; }
  .peer { fill: #8c959f; }
  .range { stroke: #1f2328; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; }
    .ours { fill: #3fb950; }
    .peer { fill: #6e7681; }
    .range { stroke: #e6edf3; }
  }`;

/** Draws CPU time per request as bars, with a line from minimum to maximum. Shorter is better. */
export function plot(results: readonly CaseResult[]): string {
  const parts: string[] = [];
  let y = 0;
  for (const { name, title } of panels) {
    const result = results.find((each) => each.case.name === name);
    if (result) {
      parts.push(panel(result, title, y));
      y += titleHeight + result.outcomes.size * rowHeight;
    }
  }
  const height = y + 10;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img">
<title>CPU time per request in µs: shorter is better</title>
<style>${style}
</style>
${parts.join("\n")}
</svg>
`;
}

function panel({ outcomes }: CaseResult, title: string, top: number): string {
  const rows = [...outcomes].flatMap(([name, outcome]) => {
    const cpu = spreadOf(outcome, "cpu");
    return cpu ? [{ name, cpu }] : [];
  });
  const scale = barWidth / Math.max(...rows.map(({ cpu }) => cpu.max));
  const bars = rows
    .toSorted((a, b) => a.cpu.median - b.cpu.median)
    .map(({ name, cpu }, index) => {
      const y = top + titleHeight + index * rowHeight;
      const x = (value: number) => (labelWidth + value * scale).toFixed(1);
      return [
        `<text x="${labelWidth - 8}" y="${y + 13}" text-anchor="end">${name}</text>`,
        `<rect class="${name === ours ? "ours" : "peer"}" x="${labelWidth}" y="${y + 1}" width="${(cpu.median * scale).toFixed(1)}" height="${rowHeight - 6}" rx="2"/>`,
        `<line class="range" x1="${x(cpu.min)}" x2="${x(cpu.max)}" y1="${y + 9}" y2="${y + 9}"/>`,
        `<text x="${(labelWidth + cpu.max * scale + 8).toFixed(1)}" y="${y + 13}">${number(cpu.median)} µs</text>`,
      ].join("\n");
    });
  return [
    `<text class="title" x="${labelWidth}" y="${top + 24}">${title}: CPU time per request</text>`,
    ...bars,
  ].join("\n");
}
