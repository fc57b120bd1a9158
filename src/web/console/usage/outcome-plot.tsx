import { useEffect, useRef, useState } from "preact/hooks";
import UPlot from "uplot";
import { cssColor } from "../shared/css-color.ts";
import { type Column, Table } from "../shared/table.tsx";
import { numberText } from "../text/number-text.ts";
import { type Outcome, outcomes, stack, totals, type UsagePoint } from "./outcomes.ts";

const height = 220;

const labels: Readonly<Record<Outcome, string>> = {
  admitted: "Admitted",
  limited: "Limited",
  banned: "Banned",
};

interface Props {
  readonly title: string;
  readonly points: readonly UsagePoint[];
  /** The time between two points, in seconds. */
  readonly stepSeconds: number;
  /** Returns the text of a point's start. */
  readonly startText: (start: number) => string;
}

/** Shows requests over time as stacked bars, with a legend, and the same numbers as a table. */
export function OutcomePlot({ title, points, stepSeconds, startText }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<UPlot>(null);
  const [hovered, setHovered] = useState<number | null>(null);
  const point = hovered === null ? undefined : points[hovered];
  const counts = point?.counts ?? totals(points);

  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const made = createPlot(element, stepSeconds, startText, setHovered);
    plot.current = made;
    const resize = new ResizeObserver(() =>
      made.setSize({ width: Math.max(1, element.clientWidth), height }),
    );
    resize.observe(element);
    const stopFollowing = onThemeChange(() => made.redraw(true));
    return () => {
      resize.disconnect();
      stopFollowing();
      made.destroy();
      plot.current = null;
    };
  }, []);

  useEffect(() => {
    plot.current?.setData(stack(points) as UPlot.AlignedData);
  }, [points]);

  return (
    <figure class="outcome-plot">
      <figcaption>
        <h2>{title}</h2>
        <ul class="legend">
          <li class="legend-range">{point ? startText(point.start) : "In all"}</li>
          {outcomes.map((outcome) => (
            <li key={outcome}>
              <span class={`swatch swatch-${outcome}`} aria-hidden="true" />
              {labels[outcome]} <strong>{numberText(counts[outcome])}</strong>
            </li>
          ))}
        </ul>
      </figcaption>
      <div class="outcome-bars" ref={box} aria-hidden="true" />
      <details>
        <summary>Show as a table</summary>
        <CountsTable {...{ title, points, startText }} />
      </details>
    </figure>
  );
}

/** The numbers of a plot, newest first. Points without requests are left out. */
function CountsTable({ title, points, startText }: Omit<Props, "stepSeconds">) {
  const used = points
    .filter(({ counts }) => outcomes.some((outcome) => counts[outcome] > 0))
    .toReversed();
  const columns: Column<UsagePoint>[] = [
    { title: "Start (UTC)", cell: ({ start }) => startText(start) },
    ...outcomes.map((outcome) => ({
      title: labels[outcome],
      cell: ({ counts }: UsagePoint) => numberText(counts[outcome]),
      isNumber: true,
    })),
  ];
  return (
    <Table
      caption={title}
      columns={columns}
      rows={used}
      rowKey={({ start }) => String(start)}
      empty="There were no requests."
    />
  );
}

function createPlot(
  element: HTMLElement,
  stepSeconds: number,
  startText: Props["startText"],
  onHover: (index: number | null) => void,
): UPlot {
  const color = (name: string) => () => cssColor(name);
  const axis = {
    stroke: color("--text-muted"),
    grid: { stroke: color("--line"), width: 1 },
    ticks: { stroke: color("--line"), width: 1 },
  };
  const bars = UPlot.paths.bars?.({ size: [0.85, 40] });
  const series = outcomes.toReversed().map((outcome) => ({
    fill: color(`--outcome-${outcome}`),
    width: 0,
    ...(bars && { paths: bars }),
    points: { show: false },
  }));
  return new UPlot(
    {
      width: Math.max(1, element.clientWidth),
      height,
      padding: [8, 8, 0, 0],
      legend: { show: false },
      cursor: { y: false, drag: { x: false, y: false }, points: { show: false } },
      tzDate: (seconds) => UPlot.tzDate(new Date(seconds * 1_000), "Etc/UTC"),
      scales: {
        x: { range: (_, min, max) => [min - stepSeconds / 2, max + stepSeconds / 2] },
        y: { range: (_, __, max) => [0, Math.max(5, max * 1.1)] },
      },
      axes: [
        { ...axis, space: 70, values: (_, starts) => starts.map(startText) },
        { ...axis, size: 56, values: (_, ticks) => ticks.map(tickText) },
      ],
      series: [{}, ...series],
      hooks: { setCursor: [({ cursor }) => onHover(cursor.idx ?? null)] },
    },
    [[], [], [], []],
    element,
  );
}

const ticks = new Intl.NumberFormat("en-US", { notation: "compact" });

/** Requests are whole, so a tick between two numbers has no label. */
function tickText(value: number): string {
  return Number.isInteger(value) ? ticks.format(value) : "";
}

/** Calls `listener` when the page turns light or dark, by its own switch or by that of the system. */
function onThemeChange(listener: () => void): () => void {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const own = new MutationObserver(listener);
  own.observe(document.documentElement, { attributes: true });
  system.addEventListener("change", listener);
  return () => {
    own.disconnect();
    system.removeEventListener("change", listener);
  };
}
