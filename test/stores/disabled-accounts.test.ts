import { describe, expect, it } from "vitest";
import {
  addAccount,
  addAccountWithKey,
  addKey,
  someKey,
  type TestKey,
} from "../support/accounts.ts";
import { someTime, storeKinds } from "../support/stores.ts";

const account = "aaaaaaaaaaaa";
const hour = 3_600_000;
const own = { plan: "enterprise", limits: { perMinute: 70, perDay: 80 } } as const;

describe.each(storeKinds)("disabled accounts in $name", ({ use }) => {
  const under = use();

  const admit = ({ keyHash }: TestKey) => under.stores.admission.admitKey(account, keyHash);

  it.each([{ plan: "free" } as const, own])(
    "keep their plan and first time: %j",
    async (choice) => {
      const { accounts } = under.stores;
      await addAccount(under.stores, choice);
      const before = await accounts.getAccount(account);
      under.clock.now += hour;
      const disabled = { ...before, disabledAt: someTime + hour };
      expect(await accounts.setDisabled(account, true)).toEqual(disabled);
      under.clock.now += hour;
      expect(await accounts.setDisabled(account, true)).toEqual(disabled);
      expect(await accounts.getAccount(account)).toEqual(disabled);
      expect((await accounts.listAccounts(undefined, 9)).accounts).toEqual([disabled]);
      expect(await accounts.setDisabled(account, false)).toEqual(before);
      expect(await accounts.setDisabled(account, false)).toEqual(before);
      expect(await accounts.getAccount(account)).toEqual(before);
    },
  );

  it("stay disabled when their plan or name changes", async () => {
    const { accounts } = under.stores;
    const key = await addAccountWithKey(under.stores);
    await accounts.setDisabled(account, true);
    const changed = { choice: own, disabledAt: someTime };
    expect(await accounts.setPlan(account, own)).toMatchObject(changed);
    expect(await accounts.rename(account, "Zoo")).toMatchObject({ ...changed, name: "Zoo" });
    expect(await admit(key)).toMatchObject({ verdict: "disabled", plan: "enterprise" });
    expect(await accounts.setDisabled(account, false)).toEqual({
      accountId: account,
      name: "Zoo",
      choice: own,
      createdAt: someTime,
      isStrict: false,
    });
    expect(await admit(key)).toMatchObject({ windows: { minute: { limit: 70, remaining: 69 } } });
  });

  it("have their requests refused and not counted", async () => {
    const key = await addAccountWithKey(under.stores);
    const admitted = await admit(key);
    await under.stores.accounts.setDisabled(account, true);
    for (let i = 0; i < 130; i += 1) {
      expect(await admit(key)).toEqual({
        ...admitted,
        verdict: "disabled",
        countedAt: 0,
      });
    }
    await under.stores.accounts.setDisabled(account, false);
    const next = await admit(key);
    expect(next).toMatchObject({ verdict: "admitted", windows: { minute: { remaining: 58 } } });
  });

  it("have a call refused that admission has counted, and its request taken back", async () => {
    const key = await addAccountWithKey(under.stores);
    await admit(key);
    const decision = await admit(key);
    const counted = {
      accountId: account,
      keyHash: key.keyHash,
      countedAt: "countedAt" in decision ? decision.countedAt : 0,
    };
    await under.stores.accounts.setDisabled(account, true);
    expect(await under.stores.admission.charge(counted, 3)).toMatchObject({
      verdict: "disabled",
      retryInMs: 0,
      countedAt: 0,
      windows: { minute: { remaining: 59 }, day: { remaining: 999 } },
    });
  });

  it("have full windows shown as they are, and bans end as before", async () => {
    const key = await addAccountWithKey(under.stores);
    for (let i = 0; i < 121; i += 1) await admit(key);
    await under.stores.accounts.setDisabled(account, true);
    const decision = await admit(key);
    expect(decision).toMatchObject({ verdict: "disabled", windows: { minute: { remaining: 0 } } });
    await under.stores.accounts.setDisabled(account, false);
    expect(await admit(key)).toMatchObject({ verdict: "banned", retryInMs: 60_000 });
  });

  it("have revoked, expired and unknown keys reported as such", async () => {
    const { accounts, admission } = under.stores;
    const valid = await addAccountWithKey(under.stores);
    const revoked = await addKey(under.stores, account);
    const expired = await addKey(under.stores, account, { expiresAt: under.clock.now + 1 });
    const unknown = someKey(account);
    await accounts.revokeKey(revoked.keyId);
    await accounts.setDisabled(account, true);
    under.clock.now += 1;
    const keys = [valid, revoked, expired, unknown];
    const states = ["disabled", "revoked", "expired", "unknown"];
    const found = await admission.keyStates(keys.map(({ keyId }) => keyId));
    expect(found.map(({ state }) => state)).toEqual(states);
    const verdicts = [];
    for (const key of keys) verdicts.push((await admit(key)).verdict);
    expect(verdicts).toEqual(states);
  });
});
