import { panelHeight, panels, panelWidth } from "./panel.ts";
import type { CurvesByAxis } from "./report.ts";

const columns = 2;

/** Colors for light and dark pages. */
const style = `
  text { font: 12px system-ui, sans-serif; fill: #1f2328; }
  .title { font-weight: 600; }
  .grid { stroke: #d1d9e0; }
  .line0 { fill: #1a7f37; stroke: #1a7f37; }
  .line1 { fill: #8250df; stroke: #8250df; }
  tspan { stroke: none; }
  path.path { fill: none; stroke-width: 2; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; }
    .grid { stroke: #3d444d; }
    .line0 { fill: #3fb950; stroke: #3fb950; }
    .line1 { fill: #ab7df8; stroke: #ab7df8; }
  }`;

/** Draws a panel for every curve, in two columns. */
export function scalePlot(curves: CurvesByAxis): string {
  return figure(
    "Costs by the number of items, accounts and holds: flat is better",
    Object.entries(curves).flatMap(([axis, each]) => each.flatMap((curve) => panels(curve, axis))),
  );
}

/** Places panels in two columns. */
export function figure(title: string, all: readonly string[]): string {
  const placed = all.map((each, index) => {
    const left = (index % columns) * panelWidth;
    const top = Math.floor(index / columns) * panelHeight;
    return `<g transform="translate(${left} ${top})">\n${each}\n</g>`;
  });
  const height = Math.ceil(all.length / columns) * panelHeight;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${columns * panelWidth} ${height}" role="img">
<title>${title}</title>
<style>${style}
</style>
${placed.join("\n")}
</svg>
`;
}
