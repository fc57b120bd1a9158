import { Code } from "@connectrpc/connect";
import { beforeEach, describe, expect, test } from "vitest";
import { PetStatus } from "../../../gen/inventory/v1/inventory_pb.ts";
import { addAccount, addKey } from "../../support/accounts.ts";
import { scriptCalls, useReadyStores, useRedis } from "../../support/stores.ts";

/** A server of its own, because the tests count its script calls. */
const redis = useRedis("--appendonly", "no");
const pet = { petId: 1n, quantity: 5, status: PetStatus.AVAILABLE };

describe("the list of an admitted caller", () => {
  const [own, another] = [useReadyStores(redis), useReadyStores(redis)];
  const both = () => ({ stores: own.stores, other: another.stores });
  const key = { accountId: "", keyHash: "" };

  beforeEach(async () => {
    await redis.client.flushall();
    const { stores, other } = both();
    key.accountId = await addAccount(stores);
    key.keyHash = (await addKey(stores, key.accountId)).keyHash;
    await other.catalog.put([pet, { ...pet, petId: 2n }]);
    await stores.inventory.list();
  });

  /** Reads the list while its caller is admitted, as the front door does. */
  async function admitAndList() {
    const { admission, inventory } = both().stores;
    const arrivedAt = performance.now();
    const admitted = admission.admitKey(key.accountId, key.keyHash);
    inventory.prefetchList();
    const { verdict } = await admitted;
    return { verdict, ...(await inventory.list(arrivedAt)) };
  }

  /** The version of the stock, as another process reads it. */
  async function versionNow(): Promise<bigint> {
    return (await both().other.inventory.page(undefined, 1)).version;
  }

  test("takes one script call for all admissions of an event-loop tick, and one for all lists", async () => {
    await admitAndList();
    const before = await scriptCalls(redis.client);
    const results = await Promise.all([admitAndList(), admitAndList(), admitAndList()]);
    expect((await scriptCalls(redis.client)) - before).toBe(2);
    for (const { verdict, items } of results) {
      expect(verdict).toBe("admitted");
      expect(items).toMatchObject([pet, { ...pet, petId: 2n }]);
    }
  });

  test("shows what another process has changed", async () => {
    await admitAndList();
    await both().other.inventory.change({ petId: 2n, quantity: 7 });
    await both().other.catalog.remove(1n);
    const version = await versionNow();
    const before = await scriptCalls(redis.client);
    expect(await admitAndList()).toMatchObject({
      verdict: "admitted",
      items: [{ petId: 2n, quantity: 7 }],
      version,
    });
    expect((await scriptCalls(redis.client)) - before).toBe(2);
  });

  test("is read again when the stock was replaced by another with as many changes", async () => {
    await admitAndList();
    const { stores, other } = both();
    await redis.client.flushall();
    key.accountId = await addAccount(stores);
    key.keyHash = (await addKey(stores, key.accountId)).keyHash;
    await other.catalog.put([
      { ...pet, petId: 3n },
      { ...pet, petId: 4n },
    ]);
    expect(await admitAndList()).toMatchObject({
      verdict: "admitted",
      items: [{ petId: 3n }, { petId: 4n }],
      version: await versionNow(),
    });
  });

  test("takes a second script call for more than 100 changes", async () => {
    await admitAndList();
    const { other } = both();
    for (let quantity = 1; quantity <= 150; quantity++)
      await other.inventory.change({ petId: 1n, quantity });
    const version = await versionNow();
    const before = await scriptCalls(redis.client);
    expect(await admitAndList()).toMatchObject({
      verdict: "admitted",
      items: [{ petId: 1n, quantity: 150 }, { petId: 2n }],
      version,
    });
    expect((await scriptCalls(redis.client)) - before).toBe(3);
  });

  test("is read again after more changes than are worth reading", async () => {
    await admitAndList();
    const more = Array.from({ length: 1_001 }, (_, at) => ({ ...pet, petId: BigInt(at + 3) }));
    await both().other.catalog.put(more);
    const { verdict, items, version } = await admitAndList();
    expect({ verdict, items: items.length, version }).toEqual({
      verdict: "admitted",
      items: 1_003,
      version: await versionNow(),
    });
  });

  test("is read again when the history lacks the latest change", async () => {
    await admitAndList();
    await both().other.inventory.change({ petId: 1n, quantity: 7 });
    await redis.client.xtrim("inv:{stock}:changes", "MAXLEN", 0);
    const version = await versionNow();
    expect(await admitAndList()).toMatchObject({ items: [{ quantity: 7 }, {}], version });
  });

  test("is right for more callers than one script call admits", async () => {
    const { stores } = both();
    const limits = { perMinute: 1_000, perDay: 1_000 };
    await stores.accounts.update(key.accountId, { choice: { plan: "enterprise", limits } });
    const results = await Promise.all(Array.from({ length: 250 }, admitAndList));
    expect(new Set(results.map(({ verdict }) => verdict))).toEqual(new Set(["admitted"]));
    expect(new Set(results.map(({ version }) => version))).toEqual(new Set([await versionNow()]));
  });

  test("is read again after a script call failed", async () => {
    await admitAndList();
    await redis.client.rename("inv:{stock}:newest-change", "inv:{stock}:moved");
    await redis.client.sadd("inv:{stock}:newest-change", "not a string");
    await expect(admitAndList()).rejects.toMatchObject({ code: Code.Unavailable });
    await redis.client.rename("inv:{stock}:moved", "inv:{stock}:newest-change");
    const version = await versionNow();
    expect(await admitAndList()).toMatchObject({ verdict: "admitted", version });
  });
});
