import { BlockList } from "node:net";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Admit, createAdmission } from "../../src/access/admission.ts";
import { addAccount, addKey, someKey, type TestKey } from "../support/accounts.ts";
import { storeKinds } from "../support/stores.ts";

describe.each(storeKinds)("what admission prepares in $name", ({ use }) => {
  const under = use();
  const own: { admit?: Admit } = {};
  const account = "aaaaaaaaaaaa";

  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    own.admit = createAdmission({
      store: under.stores.admission,
      anonymousLimits: { perMinute: 600, perDay: 10_000 },
      trustedProxies: new BlockList(),
    }).admit;
    await addAccount(under.stores);
  });
  afterEach(() => void vi.useRealTimers());

  /** @returns whether the request had something prepared, and whether it was admitted */
  async function ask(authorization: string | undefined) {
    const prepare = vi.fn<() => void>();
    const credentials = { authorization, peer: "192.0.2.1", forwardedFor: undefined };
    const admission = await own.admit?.(credentials, prepare);
    return { prepared: prepare.mock.calls.length, admitted: admission?.refusal === undefined };
  }
  const askWith = (key: TestKey) => ask(`Bearer ${key.secret}`);

  it.each([
    ["no key", undefined],
    ["another scheme", "Basic YTpi"],
    ["a malformed key", "Bearer nonsense"],
    ["a key that does not exist", `Bearer ${someKey(account).secret}`],
  ])("nothing for %s, however often it comes", async (_, authorization) => {
    for (let i = 0; i < 5; i += 1) {
      expect(await ask(authorization)).toEqual({ prepared: 0, admitted: false });
    }
  });

  it("once for each request of a key that was admitted within 10 s", async () => {
    const key = await addKey(under.stores, account);
    expect(await askWith(key)).toEqual({ prepared: 0, admitted: true });
    expect(await askWith(key)).toEqual({ prepared: 1, admitted: true });
    vi.advanceTimersByTime(9_999);
    expect(await askWith(key)).toEqual({ prepared: 1, admitted: true });
    vi.advanceTimersByTime(10_000);
    expect(await askWith(key)).toEqual({ prepared: 0, admitted: true });
    expect(await askWith(key)).toEqual({ prepared: 1, admitted: true });
  });

  it("no more for a key that was refused", async () => {
    const key = await addKey(under.stores, account);
    await askWith(key);
    await under.stores.accounts.revokeKey(key.keyId);
    expect(await askWith(key)).toEqual({ prepared: 1, admitted: false });
    expect(await askWith(key)).toEqual({ prepared: 0, admitted: false });
  });

  it("nothing for a key beyond its limit", async () => {
    const key = await addKey(under.stores, account);
    for (let i = 0; i < 61; i += 1) await askWith(key);
    expect(await askWith(key)).toEqual({ prepared: 0, admitted: false });
  });
});
