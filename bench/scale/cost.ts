import { threadsCpuMicros } from "../machine/process-use.ts";

/**
 * Measures the cost of work in several processes.
 *
 * @param work returns the amount of work: requests, items or rows
 * @returns CPU time in µs per unit of work, one value per process
 */
export async function costsOf(
  pids: readonly [number, number],
  work: () => Promise<number>,
): Promise<[number, number]> {
  const before = pids.map(threadsCpuMicros);
  const done = await work();
  const after = pids.map(threadsCpuMicros);
  const cost = (index: number) => ((after[index] ?? 0) - (before[index] ?? 0)) / done;
  return [cost(0), cost(1)];
}
