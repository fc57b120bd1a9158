import type { ApiKey } from "../../src/access/api-key.ts";
import { admitAll } from "../cases/limiter.ts";
import { threadsCpuMicros } from "../machine/process-use.ts";
import { partitionOf, spreadIds, togetherIds } from "./accounts.ts";
import { type Fleet, fill, startFleet } from "./fleet.ts";
import { alternate, type Effort, type Measured, type Variant } from "./rounds.ts";

/** The number of accounts that call, in all partitions or in one. */
const manyAccounts = 1_000;

/** The number of requests in an event-loop tick, by the number of primaries. */
const ticks: Readonly<Record<string, (primaries: number) => number>> = {
  "48 in a tick": () => 48,
  "16 in a tick for each primary": (primaries) => 16 * primaries,
};

/** CPU time of a decision in µs: in this process, in the primary that used most, and in all primaries. */
export type DecisionCost = "process" | "busiest" | "all";

/** Measures what a decision costs, depending on the number of script calls that share the requests of a tick. */
export async function measureBatches(effort: Effort): Promise<Measured<DecisionCost>[]> {
  const fleet = await startFleet(1);
  try {
    const spread = await fill(fleet.stores, 10, spreadIds(manyAccounts));
    const others = togetherIds(manyAccounts).filter((id) =>
      spread.every((key) => key.accountId !== id),
    );
    const together = await fill(fleet.stores, 10, others);
    return await alternate(
      [
        decisions("1 request", fleet, () => pick(together, 1)),
        decisions("16 requests, 1 call of 16", fleet, () => pick(together, 16)),
        decisions("16 requests, 16 calls of 1", fleet, pickApart(spread, 16)),
        decisions("16 requests, 64 partitions", fleet, () => pick(spread, 16)),
        decisions("100 requests, 1 call of 100", fleet, () => pick(together, 100)),
        decisions("100 requests, 64 partitions", fleet, () => pick(spread, 100)),
      ],
      effort,
    );
  } finally {
    await fleet.stop();
  }
}

/** Measures decisions by the number of primaries. @returns a row for each kind of tick, a measurement for each number */
export async function measureShares(
  sizes: readonly number[],
  effort: Effort,
): Promise<Map<string, Measured<DecisionCost>[]>> {
  const fleets: Fleet[] = [];
  try {
    for (const primaries of sizes) fleets.push(await startFleet(primaries));
    const variants = Object.keys(ticks).map((): Variant<DecisionCost>[] => []);
    for (const [index, fleet] of fleets.entries()) {
      const primaries = sizes[index] ?? 0;
      const keys = await fill(fleet.stores, 10, spreadIds(manyAccounts));
      for (const [row, [name, count]] of Object.entries(ticks).entries()) {
        const next = () => pick(keys, count(primaries));
        variants[row]?.push(decisions(`${primaries} primaries, ${name}`, fleet, next));
      }
    }
    // All of them in turn, so that other load on the machine affects all alike.
    const measured = await alternate(variants.flat(), effort);
    return new Map(
      Object.keys(ticks).map((name, row) => [
        name,
        measured.slice(row * sizes.length, (row + 1) * sizes.length),
      ]),
    );
  } finally {
    for (const fleet of fleets) await fleet.stop();
  }
}

/** Requests decisions of the store, without a server. @param next returns the callers of one event-loop tick */
function decisions(
  title: string,
  { stores, cpuMicros }: Fleet,
  next: () => readonly ApiKey[],
): Variant<DecisionCost> {
  return {
    title,
    async measure(seconds) {
      const before = { own: threadsCpuMicros(process.pid), nodes: await cpuMicros() };
      const end = performance.now() + seconds * 1_000;
      let count = 0;
      while (performance.now() < end) {
        const callers = next();
        await admitAll(stores.admission, callers);
        count += callers.length;
      }
      const own = threadsCpuMicros(process.pid) - before.own;
      const after = await cpuMicros();
      const nodes = after.map((used, index) => (used - (before.nodes[index] ?? 0)) / count);
      const all = nodes.reduce((sum, used) => sum + used, 0);
      return { process: own / count, busiest: Math.max(...nodes), all };
    },
  };
}

function pick<T>(values: readonly T[], count: number): T[] {
  return Array.from({ length: count }).flatMap(
    () => values[Math.floor(Math.random() * values.length)] ?? [],
  );
}

/** Picks accounts of different partitions. @param count at most the number of partitions */
function pickApart(keys: readonly ApiKey[], count: number): () => ApiKey[] {
  const partitions = Object.values(Object.groupBy(keys, ({ accountId }) => partitionOf(accountId)));
  return () => partitions.slice(0, count).flatMap((each = []) => pick(each, 1));
}
