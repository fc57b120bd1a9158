import { useMemo } from "preact/hooks";
import UPlot from "uplot";
import type { InventoryChange } from "../../../../../gen/inventory/v1/inventory_pb.ts";
import { axisColors, numberAxis, plotColor } from "../shared/plot-axes.ts";
import { serviceNowMs } from "../shared/service-clock.ts";
import { type PlotOptions, usePlot } from "../shared/use-plot.ts";
import { timeIncrements, timeLabels } from "./time-axis.ts";
import { timeOf } from "./use-history.ts";

/** The quantity of a pet over time, as steps. The list below has the same data for screen readers. */
export function HistoryPlot({ changes }: { changes: readonly InventoryChange[] }) {
  const data = useMemo(() => dataOf(changes), [changes]);
  const place = usePlot(() => options, data);
  return <div ref={place} class="plot" role="img" aria-label="The quantity over time" />;
}

const accent = plotColor("--accent");

const options: PlotOptions = {
  legend: { show: false },
  cursor: { y: false },
  // Half of the last label can be at the right of the plot.
  padding: [null, 44, null, null],
  scales: { y: { range: (_, __, most) => [0, Math.max(1, most * 1.1)] } },
  axes: [
    {
      ...axisColors,
      space: 90,
      size: 56,
      incrs: timeIncrements,
      // biome-ignore lint/complexity/useMaxParams: the interface of uPlot
      values: (_, starts, __, ___, increment) => timeLabels(starts, increment),
    },
    numberAxis,
  ],
  series: [
    {},
    {
      label: "Quantity",
      stroke: accent,
      width: 2,
      points: { show: true, size: 5, fill: accent },
      ...(UPlot.paths.stepped && { paths: UPlot.paths.stepped({ align: 1 }) }),
    },
  ],
};

/** The quantities in the order of time, and the last one until now. Times are in seconds. */
function dataOf(changes: readonly InventoryChange[]): UPlot.AlignedData {
  const ordered = changes.toReversed();
  const times = ordered.map((change) => timeOf(change) / 1_000);
  const quantities = ordered.map(({ quantityAfter }) => quantityAfter ?? 0);
  const now = serviceNowMs() / 1_000;
  return [
    [...times, Math.max(now, times.at(-1) ?? now)],
    [...quantities, quantities.at(-1) ?? 0],
  ];
}
