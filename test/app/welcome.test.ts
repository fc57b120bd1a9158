import { beforeEach, describe, expect, test } from "vitest";
import { loadSampleQuietly } from "../../src/app/welcome.ts";
import { lineKinds } from "../../src/observability/log/lines.ts";
import { createLog } from "../../src/observability/log/log.ts";
import type { Stores } from "../../src/stores/stores.ts";
import { addAccount } from "../support/accounts.ts";
import { openRedisStores } from "../support/redis-stores.ts";
import { useRedis } from "../support/stores.ts";

const redis = useRedis();
beforeEach(() => redis.client.flushdb());

/** Connects as a process of the service does. */
async function connect(): Promise<Stores> {
  const stores = openRedisStores(redis.url);
  await stores.ready(5_000);
  return stores;
}

/** Loads the sample by several processes at the same time. @returns what each has logged */
async function loadAtOnce(processes: number): Promise<string[]> {
  const all = await Promise.all(Array.from({ length: processes }, connect));
  const lines: string[] = [];
  const log = createLog("info", undefined, { write: (line) => lines.push(JSON.parse(line).msg) });
  await Promise.all(all.map((stores) => loadSampleQuietly(stores, log)));
  await Promise.all(all.map((stores) => stores.close()));
  return lines.filter((line) => line !== lineKinds.audit.message).sort();
}

const loaded = "sample data was loaded: create an API key for its account";
const notLoaded = "redis has data already: no sample data was loaded";

async function counts() {
  const stores = await connect();
  const { items } = await stores.inventory.list();
  const { accounts } = await stores.accounts.listAccounts(undefined, 10);
  await stores.close();
  return { pets: items.length, accounts: accounts.length };
}

describe("a sample", () => {
  test("is loaded by one of several processes", async () => {
    expect(await loadAtOnce(4)).toEqual([notLoaded, notLoaded, notLoaded, loaded]);
    expect(await counts()).toEqual({ pets: 5, accounts: 1 });
    expect(await loadAtOnce(1)).toEqual([notLoaded]);
    expect(await counts()).toEqual({ pets: 5, accounts: 1 });
  });

  test.for<[string, (stores: Stores) => Promise<unknown>]>([
    ["an account", (stores) => addAccount(stores)],
    ["a pet", (stores) => stores.catalog.create({ petId: 9n, quantity: 1, status: 1 })],
    [
      "the history of a pet that was removed",
      async (stores) => {
        await stores.catalog.create({ petId: 9n, quantity: 1, status: 1 });
        await stores.catalog.remove(9n);
      },
    ],
    ["an entry of the audit trail", (stores) => stores.audit.append("{}")],
  ])("is not loaded into a Redis with %s", async ([, add]) => {
    const stores = await connect();
    await add(stores);
    await stores.close();
    const before = await counts();
    expect(await loadAtOnce(1)).toEqual([notLoaded]);
    expect(await counts()).toEqual(before);
  });
});
