/** A kind of failure, and how often it happened. */
export interface Failure {
  readonly text: string;
  readonly count: number;
}

export function count(failures: Map<string, number>, text: string): void {
  failures.set(text, (failures.get(text) ?? 0) + 1);
}

export function countsOf(failures: ReadonlyMap<string, number>): Failure[] {
  return [...failures].map(([text, times]) => ({ text, count: times }));
}
