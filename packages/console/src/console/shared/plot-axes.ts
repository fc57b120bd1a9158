import type UPlot from "uplot";
import { numberText } from "../text/number-text.ts";
import { cssColor } from "./css-color.ts";

const font = "12px system-ui, sans-serif";
/** Between the labels and the ticks, and at the edge, in pixels. */
const gap = 5;
const tickSize = 10;
/** Half of the first label below the plot is below this axis, so a narrower axis would cut that label, in pixels. */
const leastSize = 50;

/** Distances between two labels. Quantities and counts are whole, so no label is between two whole numbers. */
const increments = Array.from({ length: 16 }, (_, n) => [1, 2, 5].map((first) => first * 10 ** n));

/** Returns a function that a plot calls whenever it is drawn, because the theme can change. */
export function plotColor(variable: string): () => string {
  return () => cssColor(variable);
}

/** The colors of all axes. */
export const axisColors = {
  stroke: plotColor("--text-muted"),
  grid: { stroke: plotColor("--line"), width: 1 },
  ticks: { stroke: plotColor("--line"), width: 1 },
};

/** A vertical axis of whole numbers, as wide as its widest label. */
export const numberAxis: UPlot.Axis = {
  ...axisColors,
  font,
  gap,
  incrs: increments.flat(),
  values: (_, numbers) => numbers.map((each) => numberText(each)),
  size({ ctx }, labels: readonly string[] | null) {
    ctx.save();
    ctx.font = font;
    const widths = (labels ?? []).map((label) => ctx.measureText(label).width);
    ctx.restore();
    const widest = widths.reduce((most, width) => Math.max(most, width), 0);
    return Math.max(leastSize, Math.ceil(widest) + 2 * gap + tickSize);
  },
};
