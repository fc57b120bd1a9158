import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { PetStatus } from "../../gen/inventory/v1/inventory_pb.ts";
import { createRedisStores } from "../../src/redis/stores.ts";
import { addAccount, addKey } from "../support/accounts.ts";
import { useRedis } from "../support/stores.ts";

const redis = useRedis();
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

  it("costs one script call with it, however many come in one turn of the event loop", async () => {
    await admitAndList();
    const before = await scriptCalls();
    const answers = await Promise.all([admitAndList(), admitAndList(), admitAndList()]);
    expect((await scriptCalls()) - before).toBe(1);
    for (const { verdict, items } of answers) {
      expect(verdict).toBe("admitted");
      expect(items).toEqual([pet, { ...pet, petId: 2n }]);
    }
  });

  it("shows what another process has changed", async () => {
    await admitAndList();
    await both().other.inventory.setQuantity(2n, 7);
    await both().other.inventory.remove(1n);
    const before = await scriptCalls();
    expect(await admitAndList()).toMatchObject({
      verdict: "admitted",
      items: [{ petId: 2n, quantity: 7 }],
      version: 4n,
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
      version: 2n,
    });
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
