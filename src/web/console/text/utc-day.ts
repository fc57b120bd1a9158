const dayForm = /^\d{4}-\d\d-\d\d$/;

/**
 * Returns the start of a day such as `2027-01-31` in UTC, in milliseconds since the epoch; undefined if there is no such
 * day. `Date.parse` alone would read February 31 as March 3.
 */
export function utcDay(text: string): number | undefined {
  if (!dayForm.test(text)) return undefined;
  const ms = Date.parse(`${text}T00:00:00Z`);
  const isDay = !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text);
  return isDay ? ms : undefined;
}
