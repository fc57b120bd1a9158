import { Code } from "@connectrpc/connect";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { PetStatus } from "../../gen/inventory/v1/inventory_pb.ts";
import { createRedisStores } from "../../src/redis/stores.ts";
import { addAccount, addKey } from "../support/accounts.ts";
import { useRedis } from "../support/stores.ts";

/** A server that no other test uses meanwhile: its calls are counted. */
const redis = useRedis("--appendonly", "no");
const pet = { petId: 1n, quantity: 5, status: PetStatus.AVAILABLE };

describe("a list that is read while its caller is admitted", () => {
  const connect = () => createRedisStores(redis.url);
  const own: { stores?: ReturnType<typeof connect>; other?: ReturnType<typeof connect> } = {};
  const key = { accountId: "", keyHash: "" };

  beforeAll(async () => {
    own.stores = connect();
    own.other = connect();
    await Promise.all([own.stores.ready(5_000), own.other.ready(5_000)]);
  });
  afterAll(async () => {
    await own.stores?.close();
    await own.other?.close();
  });

  function both() {
    const { stores, other } = own;
    if (!stores || !other) throw new Error("stores exist only while tests run");
    return { stores, other };
  }

  beforeEach(async () => {
    await redis.client.flushall();
    const { stores, other } = both();
    key.accountId = await addAccount(stores);
    key.keyHash = (await addKey(stores, key.accountId)).keyHash;
    await other.inventory.put([pet, { ...pet, petId: 2n }]);
    await stores.inventory.list();
  });

  /** Admits a caller and reads the list, as the front door does. */
  async function admitAndList() {
    const { admission, inventory } = both().stores;
    const askedAt = performance.now();
    const admitted = admission.admitKey(key.accountId, key.keyHash);
    inventory.prepareList?.();
    const { verdict } = await admitted;
    return { verdict, ...(await inventory.list(askedAt)) };
  }

  async function scriptCalls(): Promise<number> {
    const statistics = await redis.client.info("commandstats");
    return Number(/cmdstat_evalsha:calls=(\d+)/.exec(statistics)?.[1] ?? 0);
  }

  /** The version of the stock, as another process reads it. */
  async function versionNow(): Promise<bigint> {
    return (await both().other.inventory.page(undefined, 1)).version;
  }

  it("costs one script call with it, however many come in one turn of the event loop", async () => {
    await admitAndList();
    const before = await scriptCalls();
    const answers = await Promise.all([admitAndList(), admitAndList(), admitAndList()]);
    expect((await scriptCalls()) - before).toBe(1);
    for (const { verdict, items } of answers) {
      expect(verdict).toBe("admitted");
      expect(items).toMatchObject([pet, { ...pet, petId: 2n }]);
    }
  });

  it("shows what another process has changed", async () => {
    await admitAndList();
    await both().other.inventory.setQuantity(2n, 7);
    await both().other.inventory.remove(1n);
    const version = await versionNow();
    const before = await scriptCalls();
    expect(await admitAndList()).toMatchObject({
      verdict: "admitted",
      items: [{ petId: 2n, quantity: 7 }],
      version,
    });
    expect((await scriptCalls()) - before).toBe(1);
  });

  it("is read anew when the stock is another one that has come as far", async () => {
    await admitAndList();
    const { stores, other } = both();
    await redis.client.flushall();
    key.accountId = await addAccount(stores);
    key.keyHash = (await addKey(stores, key.accountId)).keyHash;
    await other.inventory.put([
      { ...pet, petId: 3n },
      { ...pet, petId: 4n },
    ]);
    expect(await admitAndList()).toMatchObject({
      verdict: "admitted",
      items: [{ petId: 3n }, { petId: 4n }],
      version: await versionNow(),
    });
  });

  it("asks for many changes apart, so that no caller waits for them", async () => {
    await admitAndList();
    const { other } = both();
    for (let quantity = 1; quantity <= 60; quantity++)
      await other.inventory.setQuantity(1n, quantity);
    const version = await versionNow();
    const before = await scriptCalls();
    expect(await admitAndList()).toMatchObject({
      verdict: "admitted",
      items: [{ petId: 1n, quantity: 60 }, { petId: 2n }],
      version,
    });
    expect((await scriptCalls()) - before).toBe(2);
  });

  it("is read anew when there are more changes than are caught up with", async () => {
    await admitAndList();
    const more = Array.from({ length: 1_001 }, (_, at) => ({ ...pet, petId: BigInt(at + 3) }));
    await both().other.inventory.put(more);
    const { verdict, items, version } = await admitAndList();
    expect({ verdict, items: items.length, version }).toEqual({
      verdict: "admitted",
      items: 1_003,
      version: await versionNow(),
    });
  });

  it("is read anew when the history lacks the latest change", async () => {
    await admitAndList();
    await both().other.inventory.setQuantity(1n, 7);
    await redis.client.xtrim("inv:{stock}:changes", "MAXLEN", 0);
    const version = await versionNow();
    expect(await admitAndList()).toMatchObject({ items: [{ quantity: 7 }, {}], version });
  });

  it("is right for more callers than one script call decides on", async () => {
    const { stores } = both();
    const limits = { perMinute: 1_000, perDay: 1_000 };
    await stores.accounts.setPlan(key.accountId, { plan: "enterprise", limits });
    const answers = await Promise.all(Array.from({ length: 250 }, admitAndList));
    expect(new Set(answers.map(({ verdict }) => verdict))).toEqual(new Set(["admitted"]));
    expect(new Set(answers.map(({ version }) => version))).toEqual(new Set([await versionNow()]));
  });

  it("fails with them when Redis fails, and is read again once it does not", async () => {
    const windows = `inv:{${key.accountId}}:windows`;
    await redis.client.del(windows);
    await redis.client.sadd(windows, "not a string");
    await expect(admitAndList()).rejects.toMatchObject({ code: Code.Unavailable });
    await redis.client.del(windows);
    const version = await versionNow();
    expect(await admitAndList()).toMatchObject({ verdict: "admitted", version });
  });

  it("does not keep a caller from being refused, and the refused do not hinder it", async () => {
    const { stores } = both();
    const { admission, inventory } = stores;
    const refused = admission.admitKey(key.accountId, "x".repeat(43));
    const admitted = admission.admitKey(key.accountId, key.keyHash);
    const list = inventory.list();
    expect(await refused).toEqual({ verdict: "unknown" });
    expect(await admitted).toMatchObject({ verdict: "admitted" });
    expect((await list).items).toHaveLength(2);
  });
});
