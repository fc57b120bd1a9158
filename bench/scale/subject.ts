import { rangeOf, type Spread } from "../result.ts";

/** One cost, shown at every size. */
export interface Line {
  readonly name: string;
  readonly unit: string;
}

/** An operation whose costs are measured at every size. */
export interface Subject<Stage> {
  readonly title: string;
  /** Its costs. Costs with the same unit share a panel. */
  readonly lines: readonly Line[];
  /** Draws it on a logarithmic axis, because the fixed cost of a request would hide the rest. */
  readonly logarithmic?: true;
  /** It needs no warm-up. */
  readonly cold?: true;
  /**
   * Measures once.
   *
   * @returns one value per line
   * @throws Error if a response was wrong
   */
  measure(stage: Stage, seconds: number): Promise<readonly number[]>;
}

/** The measurements of a subject by size: one value per line. */
export type Curve = Pick<Subject<never>, "title" | "lines" | "logarithmic"> & {
  readonly bySize: Map<number, readonly Spread[]>;
};

/** The duration and number of runs. */
export interface Effort {
  /** Warm-up with the same work before the first run that counts, in seconds. */
  readonly warmUpSeconds: number;
  readonly runSeconds: number;
  readonly rounds: number;
}

/** Returns an empty curve for a subject. */
export function curveOf({ title, lines, logarithmic }: Subject<never>): Curve {
  return { title, lines, ...(logarithmic && { logarithmic }), bySize: new Map() };
}

/** Warms up a subject at one size, then measures it. @returns one value per line */
export async function measureSubject<Stage>(
  { lines, cold, measure }: Subject<Stage>,
  stage: Stage,
  { warmUpSeconds, runSeconds, rounds }: Effort,
): Promise<readonly Spread[]> {
  const warm = performance.now() + warmUpSeconds * 1_000;
  while (!cold && performance.now() < warm) {
    await measure(stage, warmUpSeconds);
  }
  const samples: (readonly number[])[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    samples.push(await measure(stage, runSeconds));
  }
  return lines.map((_, index) => rangeOf(samples.flatMap((sample) => sample[index] ?? [])));
}
