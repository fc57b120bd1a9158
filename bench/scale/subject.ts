import { rangeOf, type Spread } from "../result.ts";

/** A cost that is shown at every size. */
export interface Line {
  readonly name: string;
  readonly unit: string;
}

/** Something whose costs are measured at every size. */
export interface Subject<Stage> {
  readonly title: string;
  /** Its costs. Those of one unit are drawn together. */
  readonly lines: readonly Line[];
  /** Drawn on a logarithmic axis: what a request costs, however short its answer, hides the rest. */
  readonly logarithmic?: true;
  /** No work that must first be warmed up. */
  readonly cold?: true;
  /**
   * Measures once.
   *
   * @returns a value for each line
   * @throws Error when an answer was wrong
   */
  measure(stage: Stage, seconds: number): Promise<readonly number[]>;
}

/** What was measured of a subject, by size: a value for each line. */
export type Curve = Pick<Subject<never>, "title" | "lines" | "logarithmic"> & {
  readonly bySize: Map<number, readonly Spread[]>;
};

/** How long and how often to measure. */
export interface Effort {
  /** Of the same work, before the first run that counts, in seconds. */
  readonly warmUpSeconds: number;
  readonly runSeconds: number;
  readonly rounds: number;
}

/** Makes an empty curve for a subject. */
export function curveOf({ title, lines, logarithmic }: Subject<never>): Curve {
  return { title, lines, ...(logarithmic && { logarithmic }), bySize: new Map() };
}

/** Warms a subject up at one size, then measures it. @returns a value for each line */
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
