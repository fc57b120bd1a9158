/** Returns a number from 0 to below 1. */
export type Random = () => number;

/** Makes a generator of random numbers, the same ones for a seed. It is mulberry32. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Returns the time to the next of independent events. @param rate events per unit of time */
export function untilNext(random: Random, rate: number): number {
  return -Math.log(1 - random()) / rate;
}
