import { expect } from "vitest";

/** Makes a worst-case input for a parser, of about `size` characters or bytes. */
export type Shape<Input> = (size: number) => Input;

/** How often the cost of one input is measured, and the shortest time of a measurement, in ms. */
const thorough = { rounds: 3, leastMs: 2 };
const quick = { rounds: 1, leastMs: 0 };

/** Below this CPU time for the largest input, in ms, growth cannot be distinguished from noise. */
const noiseMs = 2;

/** The largest input may take this long, in ms: others wait in the meantime. On a slow machine it may take longer. */
const mostMs = 50;

/** A JSON text as long as the largest request body. */
const reference = `[${Array.from({ length: 21_000 }, () => "{}").join()}]`;

/** How many times as long as parsing the reference the largest input may take. This is 50 ms on a fast machine. */
const mostReferences = 150;

/** An input that takes longer than this, in ms, is not measured twice. */
const hopelessMs = 500;

/** Most growth of the CPU time when the input grows eightfold. Linear is 8, quadratic is 64. */
const mostGrowth = 24;

/** How many of up to five measurements must agree. */
const majority = 3;

/** CPU time of this thread so far, in ms. Other processes do not affect it. */
function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/** The CPU time of one run, in ms: the minimum of several rounds. */
async function costOf<Input>(
  input: Input,
  run: (input: Input) => unknown,
  { rounds, leastMs } = thorough,
): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round++) {
    const start = cpuMs();
    let runs = 0;
    let spent = 0;
    do {
      const result = run(input);
      if (result instanceof Promise) await result;
      runs++;
      spent = cpuMs() - start;
    } while (spent < leastMs);
    least = Math.min(least, spent / runs);
    if (spent > hopelessMs) break;
  }
  return least;
}

/** How a parser's cost grows, and what is wrong with that. */
interface Growth {
  /** The CPU time for an eighth, a quarter, a half and all of the largest size, in ms. */
  readonly costs: readonly number[];
  readonly fault: string | undefined;
  /** Whether all sizes stayed below the noise. CPU time is never less than the work takes, so this is certain. */
  readonly isTiny?: boolean;
}

/** Measures a parser at four sizes, each twice as large as the previous one. */
export async function growthOf<Input>(
  shape: Shape<Input>,
  largest: number,
  run: (input: Input) => unknown,
): Promise<Growth> {
  // Most parsers stay far below the noise: one quick measurement is enough for them.
  const small = await costOf(shape(largest / 8), run, quick);
  const large = small < noiseMs ? await costOf(shape(largest), run, quick) : undefined;
  if (large !== undefined && large < noiseMs) {
    return { costs: [small, large], fault: undefined, isTiny: true };
  }
  const first = await costOf(shape(largest / 8), run);
  const costs = [first];
  for (const size of [largest / 4, largest / 2, largest]) {
    if ((costs.at(-1) ?? 0) > hopelessMs) break;
    costs.push(await costOf(shape(size), run));
  }
  const last = costs.at(-1) ?? 0;
  if (last > mostMs) {
    const bound = Math.max(mostMs, mostReferences * (await costOf(reference, JSON.parse)));
    if (last > bound) return { costs, fault: `takes more than ${bound.toFixed(0)} ms` };
  }
  const growth = last / first;
  const isNoise = last < noiseMs || growth <= mostGrowth;
  return { costs, fault: isNoise ? undefined : `grows ${growth.toFixed(0)} times` };
}

/**
 * Repeats a measurement until one result has the majority. A single one can be wrong in either direction: what else runs
 * on the machine makes the largest input slower, or code that is not compiled yet the smallest.
 */
async function agreedGrowth(measure: () => Promise<Growth>): Promise<Growth> {
  const counts = { good: 0, bad: 0 };
  for (;;) {
    const growth = await measure();
    counts[growth.fault === undefined ? "good" : "bad"] += 1;
    const isHopeless = (growth.costs.at(-1) ?? 0) > hopelessMs;
    if (growth.isTiny || isHopeless || Math.max(counts.good, counts.bad) === majority) {
      return growth;
    }
  }
}

/**
 * Checks that the cost of a parser grows linearly with its input, and that the largest input of a
 * request delays other requests by at most 50 ms.
 *
 * @param largest the size of the largest input that a request can have
 * @param name of the input in a failure
 */
export async function expectLinear<Input>(
  shape: Shape<Input>,
  largest: number,
  run: (input: Input) => unknown,
  name = "",
): Promise<void> {
  const { fault, costs } = await agreedGrowth(() => growthOf(shape, largest, run));
  expect(fault, `${name} CPU time in ms: ${costs.map((ms) => ms.toFixed(3)).join(", ")}`).toBe(
    undefined,
  );
}

/** Wraps a parser so that an error counts as a result. */
export function tolerant<Input>(run: (input: Input) => unknown): (input: Input) => unknown {
  return (input) => {
    try {
      const result = run(input);
      return result instanceof Promise ? result.catch(() => undefined) : result;
    } catch {
      return undefined;
    }
  };
}
