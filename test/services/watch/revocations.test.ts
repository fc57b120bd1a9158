import { Code } from "@connectrpc/connect";
import { describe, expect, it, onTestFinished } from "vitest";
import { PetStatus, type WatchInventoryResponse } from "../../../gen/inventory/v1/inventory_pb.ts";
import { defaultScopes } from "../../../src/access/scopes.ts";
import { reasonOf } from "../../../src/contract/errors.ts";
import { createWatchService } from "../../../src/services/watch/watch-service.ts";
import { createMemoryStores } from "../../../src/stores/memory/stores.ts";
import type { Stores } from "../../../src/stores/stores.ts";
import { stock, useContract } from "../../contract/support.ts";
import { addAccount, addKey, someKey, type TestKey } from "../../support/accounts.ts";
import { nthVersion, storeKinds } from "../../support/stores.ts";
import { grpc, startWatch, versionsOf } from "../../support/watch.ts";

/** The version of the stock before each test. */
const first = nthVersion(stock.length);
const accountId = "bbbbbbbbbbbb";

/** Ways to end the watches of a key. Each resolves when it is acknowledged. */
const ways: Readonly<Record<string, (stores: Stores, key: TestKey) => Promise<unknown>>> = {
  KEY_REVOKED: ({ accounts }, { keyId }) => accounts.revokeKey(keyId),
  KEY_REVOKED_BY_ROTATION: ({ accounts }, { keyId }) =>
    accounts.rotateKey(keyId, someKey(accountId), 0),
  ACCOUNT_DISABLED: ({ accounts }) => accounts.setDisabled(accountId, true),
  KEY_INVALID: ({ accounts }) => accounts.remove(accountId),
};

describe.each(storeKinds)("a revocation in $name", (kind) => {
  // Without messages between processes, a watch would end with the next heartbeat.
  const contract = useContract(kind, { WATCH_HEARTBEAT_MS: "300000" });
  const { server } = contract;
  const open = async (secret: string) => {
    const watch = startWatch(grpc, { url: server.url, secret });
    await watch.reached(first);
    return watch;
  };

  it.each(Object.entries(ways))("%s: no change made afterwards is sent", async (reason, revoke) => {
    const other = await open(contract.own.secret);
    await addAccount(server.stores, { plan: "business" }, accountId);
    const rounds = reason.startsWith("KEY_REVOKED") ? 20 : 1;
    const keys = await Promise.all(
      Array.from({ length: rounds }, () => addKey(server.stores, accountId)),
    );
    const watches = await Promise.all(keys.map(({ secret }) => open(secret)));
    for (const [index, key] of keys.entries()) {
      await revoke(server.stores, key);
      await server.stores.inventory.setQuantity(1n, 100 + index);
    }
    await other.reached(first + BigInt(rounds));
    for (const [index, watch] of watches.entries()) {
      expect(reason).toContain(reasonOf(await watch.failure()));
      const later = versionsOf(watch.received).filter((version) => version > first + BigInt(index));
      expect(later).toEqual([]);
    }
  });

  it("ends a watch even if nothing changes", async () => {
    const key = await contract.newKey();
    const watch = await open(key.secret);
    await server.stores.accounts.revokeKey(key.keyId);
    expect(reasonOf(await watch.failure())).toBe("KEY_REVOKED");
  });

  it.each([
    ["its expiry", true],
    ["an earlier expiry after a rotation", false],
  ])("no change made after %s is sent", async (_, expires) => {
    const { clock } = server;
    const endsAt = clock.now + 60_000;
    const key = await contract.newKey(expires ? { expiresAt: endsAt } : {});
    const watch = await open(key.secret);
    if (!expires)
      await server.stores.accounts.rotateKey(key.keyId, someKey("aaaaaaaaaaaa"), 60_000);
    clock.now = endsAt - 1;
    await server.stores.inventory.setQuantity(1n, 1);
    await watch.reached(first + 1n);
    clock.now = endsAt;
    await server.stores.inventory.setQuantity(1n, 2);
    expect(reasonOf(await watch.failure())).toBe("KEY_EXPIRED");
    expect(versionsOf(watch.received)).toHaveLength(1);
  });
});

/** A watch service whose reader of changes has stopped before the first change. */
async function withStoppedReader() {
  const stores = createMemoryStores();
  await stores.accounts.createAccount(accountId, "", { plan: "free" });
  const key = await addKey(stores, accountId);
  await stores.inventory.create({ petId: 1n, quantity: 1, status: PetStatus.AVAILABLE });
  let reads = 0;
  const readChanges = () => ({
    next: async () => (reads++ === 0 ? [] : new Promise<[]>(() => {})),
    close() {},
  });
  const service = createWatchService(
    { ...stores, readChanges },
    { heartbeatMs: 300_000, backlog: 10, maxPerKey: 10, maxPerAccount: 10, maxPerProcess: 10 },
  );
  onTestFinished(() => service.stop());
  const caller = { accountId, keyId: key.keyId, scopes: new Set(defaultScopes) };
  const call = { caller, signal: new AbortController().signal, end: () => {} };
  const watch = (resumeToken = "") =>
    service.watchInventory(
      { resumeToken, petIds: [] } as never,
      call as never,
    ) as AsyncGenerator<WatchInventoryResponse>;
  return { stores, key, watch };
}

const revoked = { code: Code.Unauthenticated, message: expect.stringContaining("revoked") };

describe("a watch that begins", () => {
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
});
