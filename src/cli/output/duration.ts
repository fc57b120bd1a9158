import { dayMs, hourMs, minuteMs } from "../../call/durations.ts";

const unitMs = { s: 1_000, m: minuteMs, h: hourMs, d: dayMs };

/** 100 years. A longer duration is a mistake, and could exceed the range of timestamps. */
const longestMs = 36_500 * dayMs;

/** Examples of what {@link parseDuration} accepts, for help and errors. */
export const durationForms = "30d, 24h, 15m, 90s or 0";

/**
 * Parses a duration: a whole number with the unit d, h, m or s, or `0`.
 *
 * @returns milliseconds; undefined if the text is malformed, or means more than 100 years
 */
export function parseDuration(text: string): number | undefined {
  if (text === "0") {
    return 0;
  }
  const [, count, unit] = /^(\d+)([smhd])$/.exec(text) ?? [];
  if (count === undefined || unit === undefined) {
    return undefined;
  }
  const ms = Number(count) * unitMs[unit as keyof typeof unitMs];
  return ms <= longestMs ? ms : undefined;
}
