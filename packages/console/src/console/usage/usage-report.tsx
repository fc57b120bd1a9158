import { useMemo } from "preact/hooks";
import type { AccountUsage } from "../../../../../gen/usage/v1/usage_pb.ts";
import { Gauge } from "./gauge.tsx";
import { OutcomePlot } from "./outcome-plot.tsx";
import { dayPoints, minutePoints } from "./outcomes.ts";
import { windowState } from "./window-state.ts";

interface Props {
  readonly usage: AccountUsage;
  /** The time by the clock of the service, in milliseconds since the epoch. */
  readonly nowMs: number;
}

/** Shows the limits of an account, what is left of them, and its requests over time. */
export function UsageReport({ usage, nowMs }: Props) {
  const minutes = useMemo(() => minutePoints(usage), [usage]);
  const days = useMemo(() => dayPoints(usage), [usage]);
  return (
    <>
      <div class="gauges">
        {usage.minute && (
          <Gauge name="Requests per minute" state={windowState(usage.minute, nowMs)} />
        )}
        {usage.day && <Gauge name="Requests per day" state={windowState(usage.day, nowMs)} />}
      </div>
      <div class="plots">
        <OutcomePlot title="Last hour" points={minutes} step="minute" />
        <OutcomePlot title="Last 30 days (UTC)" points={days} step="day" />
      </div>
    </>
  );
}
