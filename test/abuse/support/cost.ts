import { expect } from "vitest";

/** An input that costs a parser as much as any, of about `size` characters or bytes. */
export type Shape<Input> = (size: number) => Input;

/** How often the cost of one input is measured, and for how long at least, in ms. */
const thorough = { rounds: 3, leastMs: 2 };
const quick = { rounds: 1, leastMs: 0 };

/** What no machine measures exactly: below this many ms for the largest input, growth says nothing. */
const noiseMs = 2;

/** The largest input may take this long, in ms: others wait in the meantime. */
const mostMs = 50;

/** An input that takes longer than this, in ms, is not measured twice. */
const hopelessMs = 500;

/** Eight times the input may take this many times as long. Linear is 8, quadratic is 64. */
const mostGrowth = 24;

/** How often a measurement that looks superlinear is repeated before it counts. */
const attempts = 4;

/** CPU time of this thread, in ms: other processes do not count. */
function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/** The CPU time of one run, in ms: the least of several rounds. */
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

/** What is wrong with the growth of a parser's cost. */
interface Growth {
  /** The CPU time for an eighth, a quarter, a half and all of the largest size, in ms. */
  readonly costs: readonly number[];
  readonly fault: string | undefined;
}

/** Measures a parser at four sizes, each twice the one before. */
export async function growthOf<Input>(
  shape: Shape<Input>,
  largest: number,
  run: (input: Input) => unknown,
): Promise<Growth> {
  // Most parsers need far less than counts, and then there is no more to know of them.
  const small = await costOf(shape(largest / 8), run, quick);
  const large = small < noiseMs ? await costOf(shape(largest), run, quick) : undefined;
  if (large !== undefined && large < noiseMs) return { costs: [small, large], fault: undefined };
  const first = await costOf(shape(largest / 8), run);
  const costs = [first];
  for (const size of [largest / 4, largest / 2, largest]) {
    if ((costs.at(-1) ?? 0) > hopelessMs) break;
    costs.push(await costOf(shape(size), run));
  }
  const last = costs.at(-1) ?? 0;
  if (last > mostMs) return { costs, fault: `takes more than ${mostMs} ms` };
  const growth = last / first;
  const isNoise = last < noiseMs || growth <= mostGrowth;
  return { costs, fault: isNoise ? undefined : `grows ${growth.toFixed(0)} times` };
}

/**
 * Checks that the cost of a parser grows no faster than its input, and that the largest input of a
 * request holds others up for a moment only.
 *
 * @param largest the size of the largest input that a request can have
 */
export async function expectLinear<Input>(
  shape: Shape<Input>,
  largest: number,
  run: (input: Input) => unknown,
): Promise<void> {
  let growth: Growth = { costs: [], fault: "was not measured" };
  for (let attempt = 0; attempt < attempts && growth.fault !== undefined; attempt++) {
    growth = await growthOf(shape, largest, run);
    if ((growth.costs.at(-1) ?? 0) > hopelessMs) break;
  }
  expect(
    growth.fault,
    `CPU time in ms: ${growth.costs.map((ms) => ms.toFixed(3)).join(", ")}`,
  ).toBe(undefined);
}

/** Runs a parser whose errors are as good as results. */
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
