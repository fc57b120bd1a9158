import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { PetStatus } from "../../../gen/inventory/v1/inventory_pb.ts";
import type { ChangeReader, OnRevoked } from "../../../src/stores/stock-change.ts";
import type { Stores } from "../../../src/stores/stores.ts";
import { addAccount, addKey } from "../../support/accounts.ts";
import { stopTimers } from "../../support/stop-timers.ts";
import { nthVersion, readyStores, storeKinds, useRedis } from "../../support/stores.ts";

const pet = { petId: 1n, quantity: 0, status: PetStatus.AVAILABLE };

function readerOf(stores: Stores, onRevoked?: OnRevoked): ChangeReader {
  const reader = stores.readChanges(onRevoked);
  onTestFinished(() => reader.close());
  return reader;
}

describe.each(storeKinds)("the reader of changes, in $name", (kind) => {
  const under = kind.use();

  test("returns the changes after a version, and then new ones", async () => {
    const { catalog, inventory } = under.stores;
    const reader = readerOf(under.stores);
    await catalog.put([pet, { ...pet, petId: 2n }]);
    expect((await reader.next(0n))?.map(({ version }) => version)).toEqual([1, 2].map(nthVersion));
    const second = await reader.next(nthVersion(1));
    expect(second?.map(({ version }) => version)).toEqual([nthVersion(2)]);
    const [found] = await Promise.all([
      reader.next(nthVersion(2)),
      inventory.change({ petId: 2n, quantity: 7 }),
    ]);
    expect(found).toMatchObject([{ version: nthVersion(3), petId: 2n, quantityAfter: 7 }]);
  });

  test("returns nothing when nothing changes for a while", async () => {
    expect(await readerOf(under.stores).next(0n)).toEqual([]);
  });

  test("reports a version that the stock never had", async () => {
    await under.stores.catalog.create(pet);
    expect(await readerOf(under.stores).next(nthVersion(2))).toBeUndefined();
  });

  test("stops waiting when it is closed", async () => {
    const reader = readerOf(under.stores);
    const waiting = reader.next(0n).catch(() => "ended");
    await delay(0);
    reader.close();
    expect(["ended", []]).toContainEqual(await waiting);
  });
});

describe("the reader of changes in its own Redis", () => {
  // With options, so that this file has its own Redis: the test breaks its connections.
  const redis = useRedis("--maxmemory-policy", "noeviction");

  test.each([
    ["the stream was trimmed", "MAXLEN", 1],
    ["Redis lost them", "MAXLEN", 0],
  ] as const)("reports that any key may be revoked if %s", async (_, strategy, left) => {
    const stores = await readyStores(redis.url);
    const key = await addKey(stores, await addAccount(stores));
    await stores.accounts.revokeKey(key.keyId);
    const seen: (string | undefined)[] = [];
    const reader = readerOf(stores, (id) => seen.push(id));
    await reader.next(0n);
    for (let count = 0; count < 2; count++) await stores.accounts.revokeKey(key.keyId);
    await redis.client.xtrim("inv:{stock}:revocations", strategy, left);
    await reader.next(0n);
    expect(seen).toEqual([undefined]);
    await stores.accounts.revokeKey(key.keyId);
    await reader.next(0n);
    expect(seen).toEqual([undefined, key.keyId]);
  });

  test("continues where it was after it reconnects, if nothing is lost", async () => {
    const stores = await readyStores(redis.url);
    const reader = readerOf(stores);
    await stores.catalog.put([{ ...pet, petId: 5n }]);
    const { version } = await stores.inventory.page(undefined, 1);
    expect(await reader.next(0n)).toHaveLength(1);
    await redis.client.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
    await expect
      .poll(() => stores.inventory.change({ petId: 5n, quantity: 9 }).catch(() => undefined), {
        timeout: 5_000,
      })
      .toMatchObject({ kind: "changed" });
    await expect
      .poll(() => reader.next(version).catch(() => "not connected"), { timeout: 5_000 })
      .toMatchObject([{ petId: 5n, quantityAfter: 9 }]);
  });

  test("stops waiting within 100 ms when it is closed before it has connected", async () => {
    const stores = await readyStores(redis.url);
    const reader = readerOf(stores);
    stopTimers();
    const waiting = reader.next(0n).catch(() => "ended");
    reader.close();
    await vi.advanceTimersByTimeAsync(100);
    expect(await waiting).toBe("ended");
  });
});
