import { describe, expect, it } from "vitest";
import { newAccountId } from "../../src/access/api-key.ts";
import { maxKeysPerAccount } from "../../src/stores/account-store.ts";
import { addAccount, addAccountWithKey, addKey, someKey } from "../support/accounts.ts";
import { someTime, storeKinds } from "../support/stores.ts";

const hour = 3_600_000;

describe.each(storeKinds)("account store in $name", ({ use }) => {
  const under = use();
  const account = "aaaaaaaaaaaa";

  it("lists every account once, page by page, even those of the same millisecond", async () => {
    const { stores, clock } = under;
    const ids = Array.from({ length: 7 }, newAccountId).sort();
    for (const id of ids.toReversed()) await addAccount(stores, { plan: "pro" }, id);
    const listed: string[] = [];
    let page = await stores.accounts.listAccounts(undefined, 3);
    for (;;) {
      listed.push(...page.accounts.map(({ accountId }) => accountId));
      if (!page.next) break;
      clock.now += 1;
      await addAccount(stores, { plan: "pro" }, newAccountId());
      page = await stores.accounts.listAccounts(page.next, 3);
    }
    expect(listed.slice(0, 7)).toEqual(ids);
    expect(new Set(listed).size).toBe(listed.length);
  });

  it("changes a plan and nothing else", async () => {
    await addAccount(under.stores);
    under.clock.now += hour;
    const changed = {
      accountId: account,
      name: "test",
      choice: { plan: "business" },
      createdAt: someTime,
      isStrict: false,
    };
    expect(await under.stores.accounts.setPlan(account, { plan: "business" })).toEqual(changed);
    expect(await under.stores.accounts.getAccount(account)).toEqual(changed);
  });

  it("stores a key without its secret, and lists keys oldest first", async () => {
    const first = await addAccountWithKey(under.stores, undefined, {
      name: "till 3  (spare)\nline",
      scopes: ["admin"],
      expiresAt: someTime + hour,
    });
    under.clock.now += 1;
    const second = await addKey(under.stores, account);
    expect(first.record).toEqual({
      keyId: first.keyId,
      name: "till 3  (spare)\nline",
      scopes: ["admin"],
      createdAt: someTime,
      expiresAt: someTime + hour,
      revokedAt: undefined,
      lastUsedAt: undefined,
      bannedUntil: undefined,
      networks: [],
    });
    expect(second.record.scopes).toEqual([
      "inventory:read",
      "inventory:write",
      "store:read",
      "store:write",
    ]);
    expect(await under.stores.accounts.listKeys(account)).toEqual([first.record, second.record]);
  });

  it("rotates a key: same name and scopes, and the old key expires after the grace time", async () => {
    const old = await addAccountWithKey(under.stores, undefined, {
      name: "till",
      scopes: ["store:read"],
    });
    under.clock.now += 1;
    const next = someKey(account);
    expect(await under.stores.accounts.rotateKey(old.keyId, next, hour)).toEqual({
      created: {
        ...old.record,
        keyId: next.keyId,
        createdAt: someTime + 1,
      },
      rotated: { ...old.record, expiresAt: someTime + 1 + hour },
    });
  });

  it("does not extend the expiry of a key by rotating it", async () => {
    const old = await addAccountWithKey(under.stores, undefined, { expiresAt: someTime + 5 });
    const rotation = await under.stores.accounts.rotateKey(old.keyId, someKey(account), hour);
    expect(rotation).toMatchObject({ rotated: { expiresAt: someTime + 5 } });
  });

  it.each(["revoked", "expired", "rotated without grace"])(
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

  it("refuses more than the largest number of keys, and deletes only invalid keys to make room", async () => {
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
