import { describe, expect, test } from "vitest";
import { reasonOf } from "../../src/contract/errors.ts";
import type { Stores } from "../../src/stores/stores.ts";
import { addAccount, addKey, someKey, type TestKey } from "../support/accounts.ts";
import { nthVersion, storeKinds } from "../support/stores.ts";
import { grpc, startWatch, versionsOf } from "../support/watch.ts";
import { stock, useContract } from "./support.ts";

const first = nthVersion(stock.length);
const accountId = "bbbbbbbbbbbb";

/** Ways to end the watches of a key. Each resolves when it is acknowledged. */
const ways: Readonly<Record<string, (stores: Stores, key: TestKey) => Promise<unknown>>> = {
  KEY_REVOKED: ({ accounts }, { keyId }) => accounts.revokeKey(keyId),
  KEY_REVOKED_BY_ROTATION: ({ accounts }, { keyId }) =>
    accounts.rotateKey(keyId, someKey(accountId), 0),
  ACCOUNT_DISABLED: ({ accounts }) => accounts.update(accountId, { state: "disabled" }),
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

  test.each(Object.entries(ways))(
    "%s: no change made afterwards is sent",
    async (reason, revoke) => {
      const other = await open(contract.own.secret);
      await addAccount(server.stores, { plan: "business" }, accountId);
      const rounds = reason.startsWith("KEY_REVOKED") ? 20 : 1;
      const keys = await Promise.all(
        Array.from({ length: rounds }, () => addKey(server.stores, accountId)),
      );
      const watches = await Promise.all(keys.map(({ secret }) => open(secret)));
      for (const [index, key] of keys.entries()) {
        await revoke(server.stores, key);
        await server.stores.inventory.change({ petId: 1n, quantity: 100 + index });
      }
      await other.reached(first + BigInt(rounds));
      for (const [index, watch] of watches.entries()) {
        expect(reason).toContain(reasonOf(await watch.failure()));
        const later = versionsOf(watch.received).filter(
          (version) => version > first + BigInt(index),
        );
        expect(later).toEqual([]);
      }
    },
  );

  test("ends a watch even if nothing changes", async () => {
    const key = await contract.newKey();
    const watch = await open(key.secret);
    await server.stores.accounts.revokeKey(key.keyId);
    expect(reasonOf(await watch.failure())).toBe("KEY_REVOKED");
  });

  test.each([
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
    await server.stores.inventory.change({ petId: 1n, quantity: 1 });
    await watch.reached(first + 1n);
    clock.now = endsAt;
    await server.stores.inventory.change({ petId: 1n, quantity: 2 });
    expect(reasonOf(await watch.failure())).toBe("KEY_EXPIRED");
    expect(versionsOf(watch.received)).toHaveLength(1);
  });
});
