import { linear, logarithmic, powers, type Scale, steps } from "./axis.ts";
import type { Curve } from "./subject.ts";

export const panelWidth = 380;
export const panelHeight = 196;
/** The margins around the area of values. */
const margin = { left: 58, right: 32, top: 52, bottom: 34 };
const areaWidth = panelWidth - margin.left - margin.right;
const areaHeight = panelHeight - margin.top - margin.bottom;

interface Point {
  readonly size: number;
  readonly value: number;
}

/**
 * Draws costs by size, on a logarithmic axis: one panel per unit.
 *
 * @param sized the name of what is counted, such as items
 */
export function panels(curve: Curve, sized: string): string[] {
  const units = new Set(curve.lines.map(({ unit }) => unit));
  return [...units].map((unit) => panel(curve, unit, sized));
}

function panel(curve: Curve, unit: string, sized: string): string {
  const { title, lines, bySize } = curve;
  const drawn = lines.flatMap((line, index) =>
    line.unit === unit ? { name: line.name, points: pointsOf(curve, index) } : [],
  );
  const values = drawn.flatMap(({ points }) => points.map(({ value }) => value));
  const ticks = curve.logarithmic ? powers(values) : steps(Math.max(...values));
  const upScale = curve.logarithmic ? logarithmic(ticks) : linear(ticks);
  const sizes = [...bySize.keys()];
  const acrossScale = logarithmic(sizes);
  const x: Scale = (size) => margin.left + acrossScale(size) * areaWidth;
  const y: Scale = (value) => margin.top + (1 - upScale(value)) * areaHeight;
  const names = drawn.map(({ name }, index) => `<tspan class="line${index}">●</tspan> ${name}  `);
  return [
    `<text class="title" x="${margin.left}" y="18">${title}</text>`,
    `<text xml:space="preserve" x="${margin.left}" y="36">${names.join("")}${unit} by ${sized}</text>`,
    ...ticks.map((tick) => tickAt(y(tick), text(tick))),
    ...sizes.map((size) => sizeAt(x(size), text(size))),
    ...drawn.map(({ points }, index) => pathOf(points, `line${index}`, x, y)),
  ].join("\n");
}

function pointsOf({ bySize }: Curve, line: number): Point[] {
  return [...bySize].map(([size, values]) => ({ size, value: values[line]?.median ?? 0 }));
}

function tickAt(y: number, name: string): string {
  const [at, baseline] = [y.toFixed(1), (y + 4).toFixed(1)];
  return [
    `<path class="grid" d="M${margin.left},${at}h${areaWidth}"/>`,
    `<text x="${margin.left - 6}" y="${baseline}" text-anchor="end">${name}</text>`,
  ].join("\n");
}

function sizeAt(x: number, name: string): string {
  const y = panelHeight - margin.bottom + 18;
  return `<text x="${x.toFixed(1)}" y="${y}" text-anchor="middle">${name}</text>`;
}

function pathOf(points: readonly Point[], style: string, x: Scale, y: Scale): string {
  const places = points.map(({ size, value }) => [x(size).toFixed(1), y(value).toFixed(1)]);
  return [
    `<path class="path ${style}" d="M${places.map((place) => place.join(",")).join("L")}"/>`,
    ...places.map(([cx, cy]) => `<circle class="${style}" cx="${cx}" cy="${cy}" r="3"/>`),
  ].join("\n");
}

/** Formats a round number for humans. */
function text(value: number): string {
  return value.toLocaleString("en", { maximumSignificantDigits: 3 });
}
