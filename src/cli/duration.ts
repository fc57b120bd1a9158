const unitMs = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A hundred years: more is a mistake, and can reach beyond what a timestamp holds. */
const longestMs = 36_500 * unitMs.d;

/** What {@link parseDuration} reads, for help and errors. */
export const durationForms = "30d, 24h, 15m, 90s or 0";

/**
 * Reads a duration: a whole number of days, hours, minutes or seconds, or `0`.
 *
 * @returns milliseconds; undefined when the text is none, or is longer than a hundred years
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
