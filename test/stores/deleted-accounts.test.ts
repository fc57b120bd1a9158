import { describe, expect, it } from "vitest";
import { PetStatus } from "../../gen/inventory/v1/inventory_pb.ts";
import { deleteAll } from "../../src/services/admin/account-functions.ts";
import { addAccount, addAccountWithKey } from "../support/accounts.ts";
import { someTime, storeKinds } from "../support/stores.ts";

const account = "aaaaaaaaaaaa";

describe.each(storeKinds)("deleted accounts in $name", ({ use }) => {
  const under = use();

  it("have unknown keys, and are not found", async () => {
    const { accounts, admission } = under.stores;
    const key = await addAccountWithKey(under.stores);
    const decision = await admission.admitKey(account, key.keyHash);
    await accounts.remove(account);
    expect(await admission.admitKey(account, key.keyHash)).toEqual({ verdict: "unknown" });
    expect(await admission.keyStates([key.keyId])).toEqual([{ state: "unknown" }]);
    const counted = {
      accountId: account,
      keyHash: key.keyHash,
      countedAt: "countedAt" in decision ? decision.countedAt : 0,
    };
    expect(await admission.charge(counted, 2)).toEqual({ verdict: "unknown" });
    expect(await accounts.getAccount(account)).toBeUndefined();
    expect(await accounts.listKeys(account)).toBeUndefined();
    expect(await accounts.revokeKey(key.keyId)).toBeUndefined();
    expect(await accounts.setPlan(account, { plan: "pro" })).toBeUndefined();
    expect((await accounts.listAccounts(undefined, 9)).accounts).toEqual([]);
  });

  it("hold no units that a request has put while they are deleted", async () => {
    const { accounts, holds, orders, inventory } = under.stores;
    await addAccount(under.stores);
    await inventory.put([{ petId: 1n, quantity: 5, status: PetStatus.AVAILABLE }]);
    const put = () => holds.put(account, "late", [{ petId: 1n, quantity: 1 }], 60_000);
    const outcomes: string[] = [];
    const deletedMeanwhile: typeof holds.deleteAll = async (...args) => {
      const deleted = await holds.deleteAll(...args);
      outcomes.push((await put()).kind);
      return deleted;
    };
    const racing = { ...holds, deleteAll: deletedMeanwhile };
    await deleteAll({ accounts, orders, holds: racing }, account, {});
    expect(outcomes).toEqual(["no_account"]);
    expect(await holds.totals()).toMatchObject({ active: 0, units: 0 });
  });

  it("leave no usage behind", async () => {
    const { accounts, usage } = under.stores;
    const key = await addAccountWithKey(under.stores);
    const today = Math.floor(someTime / 86_400_000);
    const requests = { admitted: 3, limited: 2, banned: 1 };
    const counts = [0, 1, 31 * 1_440].map((ago) => ({
      accountId: account,
      keyId: key.keyId,
      minute: Math.floor(someTime / 60_000) - ago,
      ...requests,
    }));
    await usage.add({ counts, bans: [] });
    const read = async () => (await usage.read(account, someTime, 32)).days;
    expect((await read()).get(today)).toEqual([
      { keyId: key.keyId, requests: { admitted: 6, limited: 4, banned: 2 } },
    ]);
    await accounts.remove(account);
    await addAccount(under.stores);
    const days = await read();
    for (const keys of days.values()) expect(keys).toEqual([]);
    expect((await usage.read(account, someTime, 1)).minutes.size).toBe(0);
  });

  it("are in no list after they were removed from it", async () => {
    const { accounts } = under.stores;
    await addAccount(under.stores);
    await accounts.remove(account);
    await accounts.unlist(account);
    expect(await accounts.unlist(account)).toBe(false);
    expect(await accounts.listAccounts(undefined, 9)).toEqual({ accounts: [], next: undefined });
  });
});
