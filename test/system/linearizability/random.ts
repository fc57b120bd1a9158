/** A random generator with a seed. */
export interface Random {
  /** A random integer between two, inclusive. */
  between(least: number, most: number): number;
  /** A random element. */
  pick<T>(choices: readonly [T, ...T[]]): T;
  /** True with a probability of 1/n. */
  oneIn(times: number): boolean;
}

/** The seed of this run: the environment variable SEED, or a new one. A test that uses it must print it. */
export const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31);

/** Creates a random generator (mulberry32). */
export function createRandom(from: number): Random {
  let state = from | 0;
  function next(): number {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), 1 | state);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  }
  const between = (least: number, most: number) => least + Math.floor(next() * (most - least + 1));
  return {
    between,
    pick: (choices) => choices[between(0, choices.length - 1)] ?? choices[0],
    oneIn: (times) => between(1, times) === 1,
  };
}
