import { numberText } from "../text/number-text.ts";
import { durationText } from "../text/time-text.ts";
import { lowBelow, type WindowState } from "./window-state.ts";

/** Shows one limit: how much is left, and when more is left. */
export function Gauge({ name, state }: { readonly name: string; readonly state: WindowState }) {
  const { limit, remaining, level, left } = state;
  return (
    <section class={`gauge gauge-${level}`}>
      <h2>{name}</h2>
      <p class="gauge-left">
        <strong>{numberText(remaining)}</strong> of {numberText(limit)} left
      </p>
      {/* Browsers draw a meter in ways of their own, so screen readers get it, and the drawing is an image. */}
      <svg aria-hidden="true">
        <rect width={`${(left * 100).toFixed(1)}%`} height="100%" />
      </svg>
      <meter
        class="visually-hidden"
        aria-label={`${name}, left`}
        min={0}
        max={limit}
        low={limit * lowBelow}
        optimum={limit}
        value={remaining}
      >
        {numberText(remaining)} of {numberText(limit)} left
      </meter>
      <p class="gauge-reset">{resetText(state)}</p>
    </section>
  );
}

/** Says when requests are left again, or when all of them are. */
function resetText({ level, moreInMs, resetInMs }: WindowState): string {
  if (resetInMs === undefined) return "Nothing is used up.";
  if (level === "none" && moreInMs !== undefined) {
    return `More in ${durationText(moreInMs)}. All in ${durationText(resetInMs)}, if no more requests come.`;
  }
  return `All left again in ${durationText(resetInMs)}, if no more requests come.`;
}
