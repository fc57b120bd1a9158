/** The `Date` header has whole seconds, so a smaller difference, in milliseconds, says nothing. */
const smallestSkewMs = 3_000;

let skewMs = 0;

/**
 * Notes the time of a response by the clock of the service.
 *
 * @param date the `Date` header
 */
export function noteServiceDate(date: string | null, localNowMs = Date.now()): void {
  const ms = date === null ? Number.NaN : Date.parse(date);
  if (Number.isNaN(ms)) return;
  const found = ms - localNowMs;
  skewMs = Math.abs(found) < smallestSkewMs ? 0 : found;
}

/**
 * Returns the time by the clock of the service, in milliseconds since the epoch. States of keys and bans depend on it,
 * and the clock of this computer can be wrong.
 */
export function serviceNowMs(localNowMs = Date.now()): number {
  return localNowMs + skewMs;
}
