import { beforeEach, expect, test } from "vitest";
import { PetStatus } from "../../../gen/inventory/v1/inventory_pb.ts";
import { changesInEntry, historySlack } from "../../../src/stores/stock-change.ts";
import { itemsFrom } from "../../support/stock.ts";
import { readyStores, scriptCalls, useRedis } from "../../support/stores.ts";
import { until } from "../../system/harness/until.ts";

/** A Redis of its own, because the tests count its commands. */
const redis = useRedis("--appendonly", "no");
const length = 1_000;
const changesKey = "inv:{stock}:changes";

beforeEach(() => redis.client.flushdb());

async function size(): Promise<number> {
  const entries = await redis.client.xrange(changesKey, "-", "+");
  return entries.reduce(
    (sum, [, fields]) => sum + (fields[fields.indexOf("changes") + 1] ?? "").split(";").length - 1,
    0,
  );
}

/** A store without limits, like that of an import by the command line. */
async function importPets(count: number): Promise<void> {
  const { catalog } = await readyStores(redis.url);
  for (let from = 0; from < count; from += 1_000) {
    await catalog.put(itemsFrom(BigInt(from + 1), 1_000, 1, PetStatus.SOLD));
  }
}

test("after an import without a limit, one change trims the history to its limit", async () => {
  await importPets(20_000);
  expect(await size()).toBe(20_000);
  const { inventory } = await readyStores(redis.url, { history: { length, ageMs: 86_400_000 } });
  await inventory.change({ petId: 1n, delta: 1 });
  const most = length + historySlack + changesInEntry;
  await until("the history is trimmed", async () => (await size()) <= most);
  expect(await size()).toBeGreaterThanOrEqual(length);
  expect((await inventory.changes({ limit: 1 }))?.changes).toMatchObject([{ quantityAfter: 2 }]);
});

test("a history within its limit is not trimmed by further commands", async () => {
  await importPets(1_000);
  const { inventory } = await readyStores(redis.url, {
    history: { length: 100, ageMs: 86_400_000 },
  });
  await inventory.change({ petId: 1n, delta: 1 });
  await redis.client.config("RESETSTAT");
  await inventory.change({ petId: 1n, delta: 1 });
  await inventory.change({ petId: 1n, delta: 1 });
  expect(await scriptCalls(redis.client)).toBe(2);
});
