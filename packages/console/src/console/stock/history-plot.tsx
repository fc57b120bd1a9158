import { useEffect, useRef } from "preact/hooks";
import UPlot from "uplot";
import type { InventoryChange } from "../../../../../gen/inventory/v1/inventory_pb.ts";
import { cssColor } from "../shared/css-color.ts";
import { numberAxis } from "../shared/number-axis.ts";
import { serviceNowMs } from "../shared/service-clock.ts";
import { useStore } from "../shared/store.ts";
import { theme } from "../shared/theme.ts";
import { timeIncrements, timeLabels } from "./time-axis.ts";
import { timeOf } from "./use-history.ts";

const height = 220;

/** The quantity of a pet over time, as steps. The list below has the same data for screen readers. */
export function HistoryPlot({ changes }: { changes: readonly InventoryChange[] }) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<UPlot>(undefined);
  const chosenTheme = useStore(theme);
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const drawn = new UPlot(options(element.clientWidth), dataOf(changes), element);
    plot.current = drawn;
    const observer = new ResizeObserver(() =>
      drawn.setSize({ width: element.clientWidth, height }),
    );
    observer.observe(element);
    return () => {
      observer.disconnect();
      drawn.destroy();
    };
  }, [chosenTheme]);
  useEffect(() => plot.current?.setData(dataOf(changes)), [changes]);
  return <div ref={place} class="plot" role="img" aria-label="The quantity over time" />;
}

function options(width: number): UPlot.Options {
  const axis = {
    stroke: cssColor("--text-muted"),
    grid: { stroke: cssColor("--line"), width: 1 },
    ticks: { stroke: cssColor("--line"), width: 1 },
  };
  return {
    width,
    height,
    legend: { show: false },
    cursor: { y: false },
    // Half of the last label can be at the right of the plot.
    padding: [null, 44, null, null],
    scales: { y: { range: (_, __, most) => [0, Math.max(1, most * 1.1)] } },
    axes: [
      {
        ...axis,
        space: 90,
        size: 56,
        incrs: timeIncrements,
        values: (_, starts, __, ___, increment) => timeLabels(starts, increment),
      },
      { ...axis, ...numberAxis },
    ],
    series: [
      {},
      {
        label: "Quantity",
        stroke: cssColor("--accent"),
        width: 2,
        points: { show: true, size: 5, fill: cssColor("--accent") },
        ...(UPlot.paths.stepped && { paths: UPlot.paths.stepped({ align: 1 }) }),
      },
    ],
  };
}

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
