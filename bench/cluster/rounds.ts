import { progress } from "../progress.ts";
import { rangeOf, type Spread } from "../result.ts";

/** The duration and number of runs. */
export interface Effort {
  readonly warmUpSeconds: number;
  readonly runSeconds: number;
  readonly rounds: number;
}

/** A variant of a measurement. */
export interface Variant<Name extends string> {
  readonly title: string;
  /** Measures once. @throws Error if a response was wrong */
  measure(seconds: number): Promise<Readonly<Record<Name, number>>>;
}

/** The values of a variant in all runs. */
export interface Measured<Name extends string> {
  readonly title: string;
  readonly values: Readonly<Record<Name, Spread>>;
}

/** Most attempts of a run. On a busy machine, Redis is sometimes late, and the service then refuses requests. */
const maxAttempts = 5;

/** Warms up all variants, then alternates their runs, so that other load on the machine affects all alike. */
export async function alternate<Name extends string>(
  variants: readonly Variant<Name>[],
  { warmUpSeconds, runSeconds, rounds }: Effort,
): Promise<Measured<Name>[]> {
  for (const variant of variants) {
    progress(`warming up: ${variant.title}`);
    await attempt(variant, warmUpSeconds);
  }
  const samples = variants.map((): Readonly<Record<Name, number>>[] => []);
  for (let round = 1; round <= rounds; round += 1) {
    for (const [index, variant] of variants.entries()) {
      progress(`${round} of ${rounds}: ${variant.title}`);
      samples[index]?.push(await attempt(variant, runSeconds));
    }
  }
  return variants.map(({ title }, index) => ({ title, values: spreads(samples[index] ?? []) }));
}

/** @throws the error of the last attempt */
async function attempt<Name extends string>(
  { measure }: Variant<Name>,
  seconds: number,
): Promise<Readonly<Record<Name, number>>> {
  for (let left = maxAttempts - 1; left > 0; left -= 1) {
    try {
      return await measure(seconds);
    } catch (error) {
      progress(`repeated: ${error instanceof Error ? error.message : error}`);
    }
  }
  return measure(seconds);
}

function spreads<Name extends string>(
  samples: readonly Readonly<Record<Name, number>>[],
): Readonly<Record<Name, Spread>> {
  const names = Object.keys(samples[0] ?? {}) as Name[];
  const entries = names.map((name) => [name, rangeOf(samples.map((sample) => sample[name]))]);
  return Object.fromEntries(entries) as Record<Name, Spread>;
}
