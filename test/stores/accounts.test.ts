import { describe, expect, test } from "vitest";
import { maxKeysPerAccount } from "../../src/stores/account-store.ts";
import { addAccount, addAccountWithKey, addKey, someKey } from "../support/accounts.ts";
import { someTime, storeKinds } from "../support/stores.ts";

const hour = 3_600_000;

describe.each(storeKinds)("account store in $name", ({ use }) => {
  const under = use();
  const account = "aaaaaaaaaaaa";

  test("does not extend the expiry of a key by rotating it", async () => {
    const old = await addAccountWithKey(under.stores, undefined, { expiresAt: someTime + 5 });
    const rotation = await under.stores.accounts.rotateKey(old.keyId, someKey(account), hour);
    expect(rotation).toMatchObject({ rotated: { expiresAt: someTime + 5 } });
  });

  test.each(["revoked", "expired", "rotated without grace"])(
    "does not rotate a %s key",
    async (how) => {
      await addAccount(under.stores);
      const { accounts } = under.stores;
      const { keyId } = await addKey(under.stores, account, { expiresAt: someTime + hour });
      if (how === "revoked") {
        await accounts.revokeKey(keyId);
      } else if (how === "expired") {
        under.clock.now += hour;
      } else {
        await accounts.rotateKey(keyId, someKey(account), 0);
      }
      expect(await accounts.rotateKey(keyId, someKey(account), hour)).toBe("not_valid");
    },
  );

  test("refuses more than the largest number of keys, and deletes only invalid keys to make room", async () => {
    await addAccount(under.stores);
    const { accounts } = under.stores;
    const first = await addKey(under.stores, account);
    const expiring = await addKey(under.stores, account, { expiresAt: someTime + 1 });
    await Promise.all(
      Array.from({ length: maxKeysPerAccount - 2 }, () => addKey(under.stores, account)),
    );
    await expect(addKey(under.stores, account)).rejects.toThrow("too_many_keys");
    expect(await accounts.rotateKey(first.keyId, someKey(account), hour)).toBe("too_many_keys");
    await accounts.revokeKey(first.keyId);
    await addKey(under.stores, account);
    const listed = await accounts.listKeys(account);
    expect(listed).toHaveLength(maxKeysPerAccount);
    const isListed = (id: string) => listed?.some(({ keyId }) => keyId === id);
    expect([isListed(first.keyId), isListed(expiring.keyId)]).toEqual([false, true]);
  });
});
