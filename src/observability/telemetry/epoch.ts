/** The largest difference between the two clocks that is not corrected, in milliseconds. */
const toleranceMs = 5;

let epochMs = performance.timeOrigin;

/**
 * Returns the time at which performance.now() was 0, in milliseconds since the epoch. It follows the system clock,
 * which is corrected while the process runs. Date.now() has whole milliseconds only, so small differences are ignored.
 */
export function epochOfClock(): number {
  const measured = Date.now() - performance.now();
  if (Math.abs(measured - epochMs) > toleranceMs) epochMs = measured;
  return epochMs;
}
