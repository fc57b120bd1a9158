import { describe, expect, test } from "vitest";
import { addAccount, addKey, someKey } from "../support/accounts.ts";
import { storeKinds } from "../support/stores.ts";

describe.each(storeKinds)("states of keys, in $name", (kind) => {
  const under = kind.use();

  test("are returned for keys of several accounts, in their order, and count no request", async () => {
    const { stores, clock } = under;
    const account = await addAccount(stores);
    const other = await addAccount(stores, { plan: "pro" }, "bbbbbbbbbbbb");
    const valid = await addKey(stores, account);
    const revoked = await addKey(stores, account);
    const expired = await addKey(stores, account, { expiresAt: clock.now + 1_000 });
    const expiring = await addKey(stores, account, { expiresAt: clock.now + 1_001 });
    const others = await addKey(stores, other);
    await stores.accounts.revokeKey(revoked.keyId);
    clock.now += 1_000;
    const keys = [
      others,
      revoked,
      valid,
      someKey(account),
      expired,
      expiring,
      someKey("cccccccccccc"),
    ];
    expect(await stores.admission.keyStates(keys.map(({ keyId }) => keyId))).toEqual([
      { state: "valid" },
      { state: "revoked" },
      { state: "valid" },
      { state: "unknown" },
      { state: "expired", expiresAt: clock.now },
      { state: "valid", expiresAt: clock.now + 1 },
      { state: "unknown" },
    ]);
    expect(await stores.admission.keyStates([])).toEqual([]);
    expect(await stores.admission.admitKey(account, valid.keyHash)).toMatchObject({
      verdict: "admitted",
      windows: { minute: { remaining: 59 } },
    });
  });
});
