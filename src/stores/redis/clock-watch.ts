/** A clock that goes back by less is not reported, in milliseconds: NTP corrects clocks, and those of servers differ. */
const leastStepMs = 1_000;

/**
 * Makes a function that compares each time of a clock with the time before.
 *
 * @param onSetBack called when a clock was set back by more than a second. @param ms by how much, in milliseconds
 */
export function createClockWatch(onSetBack: (ms: number) => void) {
  const latest = new Map<number, number>();
  /** @param slot the slot whose server has the clock @param time in milliseconds since the epoch */
  return (slot: number, time: number): void => {
    const step = (latest.get(slot) ?? 0) - time;
    latest.set(slot, time);
    if (step > leastStepMs) onSetBack(step);
  };
}
