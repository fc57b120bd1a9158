import { threadsCpuMicros } from "../machine/process-use.ts";

/**
 * What work costs two processes.
 *
 * @param work returns how much was done: requests, items or rows
 * @returns CPU time in µs for each of them, a value for each process
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
