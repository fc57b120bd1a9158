import type { Stores } from "../../src/stores/stores.ts";
import { threadsCpuMicros } from "../machine/process-use.ts";
import { type Fleet, fill, openStores, startFleet } from "./fleet.ts";
import { alternate, type Effort, type Measured, type Variant } from "./rounds.ts";

const items = 1_000;

/** CPU time of a tick in µs: in this process, which changes and reads, and in Redis. */
export type StockCost = "process" | "redis";

/** Measures what changes and reads of the stock cost Redis, by the number of changes in a tick. */
export async function measureStock(effort: Effort): Promise<Measured<StockCost>[]> {
  const fleet = await startFleet(1);
  const reader = await openStores(fleet.environment);
  try {
    await fill(fleet.stores, items, []);
    await reader.inventory.list();
    return await alternate(
      [
        ticks("1 change", fleet, () => change(fleet.stores, 1)),
        ticks("16 changes", fleet, () => change(fleet.stores, 16)),
        ticks("a read, nothing has changed", fleet, () => read(reader)),
        ticks("16 changes, then a read of them", fleet, async () => {
          await change(fleet.stores, 16);
          await read(reader);
        }),
      ],
      effort,
    );
  } finally {
    await reader.close();
    await fleet.stop();
  }
}

async function change({ inventory }: Stores, count: number): Promise<void> {
  const changed = await Promise.all(
    Array.from({ length: count }, () => {
      const petId = 1 + Math.floor(Math.random() * items);
      const quantity = Math.floor(Math.random() * 1_000);
      return inventory.change({ petId: BigInt(petId), quantity });
    }),
  );
  if (changed.some((outcome) => outcome.kind !== "changed")) {
    throw new Error("a change was refused");
  }
}

async function read({ inventory }: Stores): Promise<void> {
  const list = await inventory.list();
  if (list.items.length !== items) throw new Error("the list is not complete");
}

function ticks(title: string, { cpuMicros }: Fleet, tick: () => Promise<void>): Variant<StockCost> {
  return {
    title,
    async measure(seconds) {
      const own = threadsCpuMicros(process.pid);
      const [before = 0] = await cpuMicros();
      const end = performance.now() + seconds * 1_000;
      let count = 0;
      for (; performance.now() < end; count += 1) await tick();
      const used = threadsCpuMicros(process.pid) - own;
      const [after = 0] = await cpuMicros();
      return { process: used / count, redis: (after - before) / count };
    },
  };
}
