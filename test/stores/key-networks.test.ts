import { describe, expect, test } from "vitest";
import { maxKeysPerAccount } from "../../src/stores/account-store.ts";
import type { RequestHead } from "../../src/stores/admission-store.ts";
import { accountKey } from "../../src/stores/redis/keys.ts";
import {
  addAccount,
  addAccountWithKey,
  addKey,
  someKey,
  type TestKey,
} from "../support/accounts.ts";
import { readyStores, storeKinds, useRedis } from "../support/stores.ts";

const account = "aaaaaaaaaaaa";
const minute = 60_000;

/** 192.0.2.0/24. */
const office = `4${"110000000000000000000010"}`;
/** 198.51.100.0/24. */
const home = `4${"110001100011001101100100"}`;
const inside = { network: () => `${office}00000001` };
const outside = { network: () => `4${"1".repeat(32)}` };

describe.each(storeKinds)("keys with networks in $name", ({ use }) => {
  const under = use();
  const admit = ({ keyHash }: TestKey, origin?: RequestHead) =>
    under.stores.admission.admitKey(account, keyHash, undefined, origin);
  const refused = { verdict: "address_not_allowed", keyId: expect.any(String) };
  const left = (remaining: number) => ({ verdict: "admitted", windows: { minute: { remaining } } });

  async function addRestricted(networks = [office]) {
    await addAccount(under.stores);
    return addKey(under.stores, account, { networks });
  }

  test("are admitted from their networks, even if older data had the same key without any", async () => {
    const { accounts, admission } = under.stores;
    const key = await addAccountWithKey(under.stores);
    expect(await admit(key, inside)).toMatchObject(left(59));
    await accounts.remove(account);
    await addAccount(under.stores);
    const { keyId, keyHash } = key;
    const made = { keyId, keyHash, name: "", scopes: key.record.scopes, expiresAt: undefined };
    await accounts.createKey(account, { ...made, networks: [office, home] });
    expect(await admission.admitKey(account, keyHash, undefined, inside)).toMatchObject({
      verdict: "admitted",
    });
    expect(await admit(key, outside)).toEqual(refused);
  });

  test("a revoked or expired key is that everywhere", async () => {
    const key = await addRestricted();
    const short = await addKey(under.stores, account, {
      networks: [office],
      expiresAt: under.clock.now + minute,
    });
    expect(await admit(short, inside)).toMatchObject({ expiresAt: under.clock.now + minute });
    await under.stores.accounts.revokeKey(key.keyId);
    under.clock.now += minute;
    for (const origin of [inside, outside, undefined]) {
      expect(await admit(key, origin)).toEqual({ verdict: "revoked" });
      expect(await admit(short, origin)).toEqual({ verdict: "expired" });
    }
  });

  test("are decided one by one in one event-loop tick", async () => {
    const key = await addRestricted();
    const open = await addKey(under.stores, account);
    const other = await addKey(under.stores, account, { networks: [`4${"1".repeat(32)}`] });
    const unknown = someKey(account);
    const batch = { most: 3 };
    const decisions = await Promise.all([
      admit(open, { ...outside, batch }),
      admit(key, { ...outside, batch }),
      admit(open),
      admit(other, outside),
      admit(unknown, inside),
      admit(key, { ...inside, batch }),
      admit(other, inside),
      admit(key, inside),
    ]);
    expect(decisions.map(({ verdict }) => verdict)).toEqual([
      "admitted",
      "address_not_allowed",
      "admitted",
      "admitted",
      "unknown",
      "admitted",
      "address_not_allowed",
      "admitted",
    ]);
    // Now the process knows which keys have networks.
    expect(await admit(open)).toMatchObject(left(54));
    expect(await admit(key, outside)).toEqual(refused);
  });

  test("the address of a key without networks is asked for at most once", async () => {
    const open = await addAccountWithKey(under.stores);
    let asked = 0;
    const origin = {
      network() {
        asked += 1;
        return "";
      },
    };
    for (let request = 0; request < 5; request += 1) {
      expect(await admit(open, origin)).toMatchObject(left(59 - request));
    }
    expect(asked).toBeLessThanOrEqual(1);
  });
});

describe("keys with networks in the data of Redis", () => {
  const redis = useRedis();

  async function addRestricted() {
    await redis.client.flushdb();
    const stores = await readyStores(redis.url);
    await addAccount(stores);
    return { stores, key: await addKey(stores, account, { networks: [office] }) };
  }

  test("another process refuses its first request", async () => {
    const { stores, key } = await addRestricted();
    const other = await readyStores(redis.url);
    const admit = (origin: typeof inside) =>
      other.admission.admitKey(account, key.keyHash, undefined, origin);
    expect((await admit(outside)).verdict).toBe("address_not_allowed");
    expect((await admit(inside)).verdict).toBe("admitted");
    await stores.accounts.revokeKey(key.keyId);
    expect((await admit(inside)).verdict).toBe("revoked");
  });

  test("a key whose networks are lost is refused everywhere", async () => {
    const { stores, key } = await addRestricted();
    await redis.client.hdel(accountKey(account), `a:${key.keyId}`);
    const decision = await stores.admission.admitKey(account, key.keyHash, undefined, inside);
    expect(decision.verdict).toBe("address_not_allowed");
  });

  test("deleted keys leave no networks", async () => {
    const { stores, key } = await addRestricted();
    await stores.accounts.revokeKey(key.keyId);
    await redis.client.hset(accountKey(account), "keys", maxKeysPerAccount);
    await addKey(stores, account);
    expect(
      (await redis.client.hkeys(accountKey(account))).filter((name) => /^a:/.test(name)),
    ).toEqual([]);
    expect(await redis.client.hget(accountKey(account), "keys")).toBe(`${maxKeysPerAccount}`);
  });
});
