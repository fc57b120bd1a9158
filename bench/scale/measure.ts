import { Redis } from "ioredis";
import { createRedisStores } from "../../src/stores/redis/stores.ts";
import type { StartContext } from "../machine/server.ts";
import { progress } from "../progress.ts";
import { accountSubjects } from "./account-subjects.ts";
import { addAccounts, makePattern, usedMemory } from "./accounts.ts";
import { addHolds, heldItems, holdSubjects } from "./holds.ts";
import { withStock } from "./stock.ts";
import { stockSubjects } from "./stock-subjects.ts";
import { type Curve, curveOf, type Effort, measureSubject, type Subject } from "./subject.ts";

/** The servers, sizes and durations of a run. */
export interface ScaleOptions extends StartContext {
  readonly redisPid: number;
  /** The numbers of items and of accounts, in ascending order. */
  readonly sizes: readonly number[];
  readonly effort: Effort;
}

/** Measures everything that depends on the stock, at every size. */
export async function measureStock(options: ScaleOptions): Promise<Curve[]> {
  const curves = stockSubjects.map(curveOf);
  for (const items of options.sizes) {
    const size = `${items.toLocaleString("en")} items`;
    progress(`${size}: filling`);
    await withStock(items, options, (stage) =>
      measureAll(stockSubjects, curves, stage, items, size, options.effort),
    );
  }
  return curves;
}

/** Measures everything that active holds could make more expensive, at every number of them. */
export async function measureHolds(options: ScaleOptions): Promise<Curve[]> {
  const curves = holdSubjects.map(curveOf);
  await withStock(heldItems, options, async (stage) => {
    let known = 0;
    // More than a tenth of the largest stock would need more accounts than a benchmark has time for.
    for (const holds of options.sizes.filter((size) => size <= 100_000)) {
      const size = `${holds.toLocaleString("en")} holds`;
      progress(`${size}: filling`);
      for (let item = 1; item <= heldItems; item += 1) {
        await stage.stores.inventory.change({ petId: BigInt(item), quantity: 1_000_000_000 });
      }
      await addHolds(stage, known, holds);
      known = holds;
      await measureAll(holdSubjects, curves, stage, holds, size, options.effort);
    }
  });
  return curves;
}

/** Measures everything that depends on the accounts, at every number of them. */
export async function measureAccounts(options: ScaleOptions): Promise<Curve[]> {
  const { redisUrl, redisPid, sizes, effort } = options;
  const curves = accountSubjects.map(curveOf);
  const redis = new Redis(redisUrl);
  const stores = createRedisStores(redisUrl);
  try {
    await redis.flushall();
    await stores.ready(5_000);
    const pattern = await makePattern(stores, redis);
    // Loads the scripts into Redis, so that they do not count as memory of accounts.
    await addAccounts(stores, redis, pattern, 0, 1_000, () => {});
    await redis.flushall();
    const emptyBytes = await usedMemory(redis);
    let known = 0;
    for (const accounts of sizes) {
      const size = `${accounts.toLocaleString("en")} accounts`;
      await addAccounts(stores, redis, pattern, known, accounts, (count) => {
        if (count % 100_000 === 0 || count === accounts) {
          progress(`${size}: filling, ${count.toLocaleString("en")}`);
        }
      });
      known = accounts;
      const bytes = (await usedMemory(redis)) - emptyBytes;
      const stage = { accounts, stores, redisPid, bytes };
      await measureAll(accountSubjects, curves, stage, accounts, size, effort);
    }
    return curves;
  } finally {
    await stores.close();
    redis.disconnect();
  }
}

async function measureAll<Stage>(
  subjects: readonly Subject<Stage>[],
  curves: readonly Curve[],
  stage: Stage,
  size: number,
  name: string,
  effort: Effort,
): Promise<void> {
  for (const [index, subject] of subjects.entries()) {
    progress(`${name}: ${subject.title}`);
    curves[index]?.bySize.set(size, await measureSubject(subject, stage, effort));
  }
}
