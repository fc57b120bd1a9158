/** Parses a time of UTC such as `2026-07-15T10:20:00`. @returns milliseconds since the epoch; undefined if malformed */
export function parseUtcTime(text: string): number | undefined {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/.test(text)) return undefined;
  const ms = Date.parse(`${text}Z`);
  // Date.parse reads February 30 as March 2, and 24:00:00 as the next day.
  return Number.isNaN(ms) || !new Date(ms).toISOString().startsWith(text) ? undefined : ms;
}
