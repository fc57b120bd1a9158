import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { useMemo, useState } from "preact/hooks";
import UPlot from "uplot";
import { axisColors, numberAxis, plotColor } from "../shared/plot-axes.ts";
import { type Column, Table } from "../shared/table.tsx";
import { type PlotOptions, usePlot } from "../shared/use-plot.ts";
import { numberText } from "../text/number-text.ts";
import { Time } from "../text/time.tsx";
import { clockText, timeText, utcDayText } from "../text/time-text.ts";
import { type Outcome, outcomes, stack, totals, type UsagePoint } from "./outcomes.ts";

const labels: Readonly<Record<Outcome, string>> = {
  admitted: "Admitted",
  limited: "Limited",
  banned: "Banned",
};

interface Props {
  readonly title: string;
  readonly points: readonly UsagePoint[];
  /** The time between two points. Days are those of UTC, as the service counts them. */
  readonly step: "minute" | "day";
}

const stepSeconds = { minute: 60, day: 86_400 } as const;

/** Shows requests over time as stacked bars, with a legend, and the same numbers as a table. */
export function OutcomePlot({ title, points, step }: Props) {
  const [hovered, setHovered] = useState<number | null>(null);
  const point = hovered === null ? undefined : points[hovered];
  const counts = point?.counts ?? totals(points);
  const data = useMemo(() => stack(points) as UPlot.AlignedData, [points]);
  const place = usePlot(() => plotOptions(step, setHovered), data);
  return (
    <figure class="outcome-plot">
      <figcaption>
        <h2>{title}</h2>
        <ul class="legend">
          <li class="legend-range">{point ? startText(point, step) : "In all"}</li>
          {outcomes.map((outcome) => (
            <li key={outcome}>
              <span class={`swatch swatch-${outcome}`} aria-hidden="true" />
              {labels[outcome]} <strong>{numberText(counts[outcome])}</strong>
            </li>
          ))}
        </ul>
      </figcaption>
      <div class="outcome-bars" ref={place} aria-hidden="true" />
      <details>
        <summary>Show as a table</summary>
        <CountsTable {...{ title, points, step }} />
      </details>
    </figure>
  );
}

/** The numbers of a plot, newest first. Points without requests are left out. */
function CountsTable({ title, points, step }: Props) {
  const used = points
    .filter(({ counts }) => outcomes.some((outcome) => counts[outcome] > 0))
    .toReversed();
  const columns: Column<UsagePoint>[] = [
    {
      title: step === "day" ? "Day (UTC)" : "Start",
      cell: (point) =>
        step === "day" ? (
          startText(point, step)
        ) : (
          <Time at={timestampFromMs(point.start * 1_000)} />
        ),
    },
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

function startText({ start }: UsagePoint, step: Props["step"]): string {
  const ms = start * 1_000;
  return step === "day" ? utcDayText(ms) : timeText(timestampFromMs(ms));
}

function plotOptions(step: Props["step"], onHover: (index: number | null) => void): PlotOptions {
  const half = stepSeconds[step] / 2;
  const axisText = step === "day" ? utcDayText : clockText;
  const bars = UPlot.paths.bars?.({ size: [0.85, 40] });
  const series = outcomes.toReversed().map((outcome) => ({
    fill: plotColor(`--outcome-${outcome}`),
    width: 0,
    ...(bars && { paths: bars }),
    points: { show: false },
  }));
  return {
    padding: [8, 24, 0, 0],
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { show: false } },
    ...(step === "day" && {
      tzDate: (seconds) => UPlot.tzDate(new Date(seconds * 1_000), "Etc/UTC"),
    }),
    scales: {
      x: { range: (_, min, max) => [min - half, max + half] },
      y: { range: (_, __, max) => [0, Math.max(5, max * 1.1)] },
    },
    axes: [
      {
        ...axisColors,
        space: 70,
        values: (_, starts) => starts.map((start) => axisText(start * 1_000)),
      },
      numberAxis,
    ],
    series: [{}, ...series],
    hooks: { setCursor: [({ cursor }) => onHover(cursor.idx ?? null)] },
  };
}
