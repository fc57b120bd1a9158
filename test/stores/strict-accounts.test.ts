import { describe, expect, test } from "vitest";
import { addAccount, addAccountWithKey, addKey, type TestKey } from "../support/accounts.ts";
import { readyStores, storeKinds, useStoreServers } from "../support/stores.ts";

const account = "aaaaaaaaaaaa";
const own = { plan: "enterprise", limits: { perMinute: 70, perDay: 80 } } as const;

describe.each(storeKinds)("strict accounts in $name", ({ use }) => {
  const under = use();

  const admit = ({ keyHash }: TestKey) => under.stores.admission.admitKey(account, keyHash);

  test("stay strict when their plan, name or state changes", async () => {
    const { accounts } = under.stores;
    const key = await addAccountWithKey(under.stores);
    await accounts.update(account, { policy: "strict" });
    expect(await accounts.update(account, { choice: own })).toMatchObject({
      choice: own,
      isStrict: true,
    });
    const renamed = { name: "Zoo" };
    expect(await accounts.update(account, renamed)).toMatchObject({ ...renamed, isStrict: true });
    const disabled = await accounts.update(account, { state: "disabled" });
    expect(disabled).toMatchObject({ choice: own, isStrict: true });
    expect(await admit(key)).toMatchObject({
      verdict: "disabled",
      plan: "enterprise",
      windows: { minute: { limit: 70 } },
    });
    expect(await accounts.update(account, { policy: "any" })).toEqual({
      ...disabled,
      isStrict: false,
    });
    expect(await accounts.update(account, { policy: "strict" })).toEqual(disabled);
    expect(await accounts.update(account, { choice: { plan: "pro" } })).toMatchObject({
      disabledAt: disabled?.disabledAt,
      isStrict: true,
    });
    expect(await accounts.update(account, { state: "enabled" })).toMatchObject({ isStrict: true });
    expect(await admit(key)).toMatchObject({ caller: { isStrict: true }, plan: "pro" });
  });

  test.each([{ plan: "free" } as const, own])(
    "are limited, banned and charged: %j",
    async (choice) => {
      await addAccount(under.stores, choice);
      await under.stores.accounts.update(account, { policy: "strict" });
      const key = await addKey(under.stores, account);
      const decision = await admit(key);
      const countedAt = "countedAt" in decision ? decision.countedAt : 0;
      const counted = { accountId: account, keyHash: key.keyHash, countedAt };
      const limit = choice.plan === "free" ? 60 : 70;
      expect(await under.stores.admission.charge(counted, 5)).toMatchObject({
        verdict: "admitted",
        windows: { minute: { limit, remaining: limit - 5 } },
      });
      for (let request = 5; request < limit; request += 1) await admit(key);
      expect(await admit(key)).toMatchObject({ verdict: "limited", caller: { isStrict: true } });
    },
  );
});

describe("two processes with one Redis", () => {
  const redis = useStoreServers();

  test("both know a new write policy with their next request", async () => {
    await redis.flush();
    const both = [await readyStores(redis.target), await readyStores(redis.target)] as const;
    const [one, other] = both;
    await addAccount(one);
    const { keyHash } = await addKey(one, account);
    for (const isStrict of [false, true, false, true]) {
      await one.accounts.update(account, { policy: isStrict ? "strict" : "any" });
      for (const { admission } of both) {
        expect(await admission.admitKey(account, keyHash)).toMatchObject({ caller: { isStrict } });
      }
      expect(await other.accounts.getAccount(account)).toMatchObject({ isStrict });
    }
  });
});
