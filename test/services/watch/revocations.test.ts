import { Code } from "@connectrpc/connect";
import { describe, expect, it, onTestFinished } from "vitest";
import { PetStatus, type WatchInventoryResponse } from "../../../gen/inventory/v1/inventory_pb.ts";
import { defaultScopes } from "../../../src/access/scopes.ts";
import { createWatchService } from "../../../src/services/watch/watch-service.ts";
import { storeUnavailable } from "../../../src/stores/errors.ts";
import { createMemoryStores } from "../../../src/stores/memory/stores.ts";
import type { StockChange } from "../../../src/stores/stock-change.ts";
import { addKey } from "../../support/accounts.ts";
import { contextOf } from "../../support/context.ts";

const accountId = "bbbbbbbbbbbb";

/** A watch service whose reader of changes first fails some times, and then stops before the first change. */
async function withStoppedReader(failures = 0) {
  const stores = createMemoryStores();
  await stores.accounts.createAccount(accountId, "", { plan: "free" });
  const key = await addKey(stores, accountId);
  await stores.inventory.create({ petId: 1n, quantity: 1, status: PetStatus.AVAILABLE });
  let reads = 0;
  const readChanges = () => ({
    async next() {
      reads += 1;
      if (reads <= failures) throw storeUnavailable(undefined);
      return reads === failures + 1 ? [] : new Promise<[]>(() => {});
    },
    close() {},
  });
  const service = createWatchService(
    { ...stores, readChanges },
    { heartbeatMs: 300_000, backlog: 10, maxPerKey: 10, maxPerAccount: 10, maxPerProcess: 10 },
  );
  onTestFinished(() => service.stop());
  const caller = { accountId, keyId: key.keyId, scopes: new Set(defaultScopes) };
  const context = contextOf(caller);
  const watch = (resumeToken = "") =>
    service.watchInventory(
      { resumeToken, petIds: [] } as never,
      context,
    ) as AsyncGenerator<WatchInventoryResponse>;
  return { stores, key, watch };
}

const revoked = { code: Code.Unauthenticated, message: expect.stringContaining("revoked") };

describe("a watch that begins", () => {
  it("waits until the reader of changes is ready, as after a failover", async () => {
    const { watch } = await withStoppedReader(2);
    expect((await watch().next()).value.event.case).toBe("snapshot");
  });

  it("sends nothing if its key was revoked after the request was admitted", async () => {
    const { stores, key, watch } = await withStoppedReader();
    await stores.accounts.revokeKey(key.keyId);
    await expect(watch().next()).rejects.toMatchObject(revoked);
  });

  it("sends no later page of the stock", async () => {
    const { stores, key, watch } = await withStoppedReader();
    const pets = Array.from({ length: 600 }, (_, index) => BigInt(index + 1));
    await stores.inventory.put(
      pets.map((petId) => ({ petId, quantity: 1, status: PetStatus.AVAILABLE })),
    );
    const messages = watch();
    expect((await messages.next()).value.event.case).toBe("snapshot");
    await stores.accounts.revokeKey(key.keyId);
    await stores.inventory.setQuantity(600n, 2);
    await expect(messages.next()).rejects.toMatchObject(revoked);
  });

  it("sends no missed change that was made afterwards", async () => {
    const { stores, key, watch } = await withStoppedReader();
    const { version } = await stores.inventory.page(undefined, 1);
    await stores.inventory.setQuantity(1n, 2);
    const messages = watch(String(version));
    const read = messages.next();
    await stores.accounts.revokeKey(key.keyId);
    await stores.inventory.setQuantity(1n, 3);
    await expect(read).rejects.toMatchObject(revoked);
  });

  it("sends no later part of the missed changes, of which it reads 500 at once", async () => {
    const { stores, key, watch } = await withStoppedReader();
    const { version } = await stores.inventory.page(undefined, 1);
    const pets = Array.from({ length: 600 }, (_, index) => BigInt(index + 1));
    await stores.inventory.put(
      pets.map((petId) => ({ petId, quantity: 9, status: PetStatus.AVAILABLE })),
    );
    const messages = watch(String(version));
    expect((await messages.next()).value.event.case).toBe("change");
    await stores.accounts.revokeKey(key.keyId);
    await stores.inventory.setQuantity(1n, 3);
    for (let sent = 1; sent < 500; sent += 1) {
      expect((await messages.next()).value.event.case).toBe("change");
    }
    await expect(messages.next()).rejects.toMatchObject(revoked);
  });
});

describe("a watch whose reader of changes was interrupted", () => {
  it("ends if its key was revoked in the meantime, even if the revocation was lost, before it sends a change", async () => {
    const stores = createMemoryStores();
    await stores.accounts.createAccount(accountId, "", { plan: "free" });
    const key = await addKey(stores, accountId);
    const { keyId: validKey } = await addKey(stores, accountId);
    await stores.inventory.create({ petId: 1n, quantity: 1, status: PetStatus.AVAILABLE });
    const interrupted = Promise.withResolvers<never>();
    const found = Promise.withResolvers<StockChange[]>();
    const results: Promise<StockChange[]>[] = [
      Promise.resolve([]),
      interrupted.promise,
      found.promise,
    ];
    // This reader reports no revocation, like one that a failover of Redis has lost.
    const readChanges = () => ({
      next: () => results.shift() ?? new Promise<StockChange[]>(() => {}),
      close() {},
    });
    const service = createWatchService(
      { ...stores, readChanges },
      { heartbeatMs: 300_000, backlog: 10, maxPerKey: 10, maxPerAccount: 10, maxPerProcess: 10 },
    );
    onTestFinished(() => service.stop());
    const watch = (keyId: string) => {
      const caller = { accountId, keyId, scopes: new Set(defaultScopes) };
      const context = contextOf(caller);
      const messages = service.watchInventory(
        { resumeToken: "", petIds: [] } as never,
        context,
      ) as AsyncGenerator<WatchInventoryResponse>;
      /** Returns the next message that is no heartbeat. */
      return async () => {
        for (;;) {
          const { value } = await messages.next();
          if (value.event.case !== "heartbeat") return value.event.case;
        }
      };
    };
    const [revokedWatch, validWatch] = [watch(key.keyId), watch(validKey)];
    for (const next of [revokedWatch, validWatch]) {
      expect([await next(), await next()]).toEqual(["snapshot", "ready"]);
    }
    const [ended, change] = [revokedWatch(), validWatch()];
    interrupted.reject(storeUnavailable(undefined));
    await stores.accounts.revokeKey(key.keyId);
    const { version } = await stores.inventory.page(undefined, 1);
    await stores.inventory.setQuantity(1n, 3);
    const since = await stores.inventory.changesSince(version, 1);
    found.resolve([...(since?.changes ?? [])]);
    await expect(ended).rejects.toMatchObject(revoked);
    expect(await change).toBe("change");
  });
});

describe("a watch whose key expires", () => {
  const expiresAt = 2_000_000;
  const isExpired = { code: Code.Unauthenticated, message: expect.stringContaining("expired") };

  /** When changes are made that one read returns, in milliseconds after the expiry. */
  const reads: readonly { readonly times: readonly number[] }[] = [
    { times: [-2, -1] },
    { times: [-1, 0] },
    { times: [-1, 60_000] },
    { times: [-1, 0, 1] },
    { times: [0, 1] },
  ];
  it.each(reads)(
    "sends no change that was made from then on, also one that is read with earlier ones: $times",
    async ({ times }) => {
      const clock = { now: expiresAt - 60_000 };
      const stores = createMemoryStores(() => clock.now);
      await stores.accounts.createAccount(accountId, "", { plan: "free" });
      const { keyId } = await addKey(stores, accountId, { expiresAt });
      await stores.inventory.create({ petId: 1n, quantity: 1, status: PetStatus.AVAILABLE });
      const { version } = await stores.inventory.page(undefined, 1);
      const found = Promise.withResolvers<StockChange[]>();
      const results: Promise<StockChange[]>[] = [Promise.resolve([]), found.promise];
      const readChanges = () => ({
        next: () => results.shift() ?? new Promise<StockChange[]>(() => {}),
        close() {},
      });
      const service = createWatchService(
        { ...stores, readChanges },
        { heartbeatMs: 300_000, backlog: 10, maxPerKey: 10, maxPerAccount: 10, maxPerProcess: 10 },
      );
      onTestFinished(() => service.stop());
      const context = contextOf({ accountId, keyId, scopes: new Set(defaultScopes) });
      const messages = service.watchInventory(
        { resumeToken: "", petIds: [] } as never,
        context,
      ) as AsyncGenerator<WatchInventoryResponse>;
      const next = async () => (await messages.next()).value.event.case;
      expect([await next(), await next()]).toEqual(["snapshot", "ready"]);
      for (const [quantity, time] of times.entries()) {
        clock.now = expiresAt + time;
        await stores.inventory.setQuantity(1n, quantity);
      }
      found.resolve([...((await stores.inventory.changesSince(version, 10))?.changes ?? [])]);
      if (times.every((time) => time < 0)) {
        expect([await next(), await next()]).toEqual(["change", "change"]);
      } else {
        await expect(next()).rejects.toMatchObject(isExpired);
      }
    },
  );
});
