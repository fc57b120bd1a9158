import { beforeEach, describe, expect, test, vi } from "vitest";
import { networkOfIp } from "../../src/access/network.ts";
import { type Admitter, createAdmitter } from "../../src/admission/admission.ts";
import { credentialsOf } from "../../src/admission/credentials.ts";
import { addAccount, addKey, someKey, type TestKey } from "../support/accounts.ts";
import { useFakeTime } from "../support/fake-time.ts";
import { storeKinds } from "../support/stores.ts";

describe.each(storeKinds)("recently admitted keys in $name", ({ use }) => {
  const under = use();
  const own: { admitter?: Admitter } = {};
  const account = "aaaaaaaaaaaa";

  useFakeTime({ toFake: ["performance"] });
  beforeEach(async () => {
    own.admitter = createAdmitter({
      store: under.stores.admission,
      anonymousLimits: { perMinute: 600, perDay: 10_000 },
    });
    await addAccount(under.stores);
  });

  function admitterOf(): Admitter {
    if (!own.admitter) throw new Error("the admitter exists only while tests run");
    return own.admitter;
  }

  /** Makes an applicant whose method needs its object, as that of a request does. */
  function applicantOf(authorization: string | undefined, from = "192.0.2.1") {
    return {
      ...credentialsOf(authorization),
      from,
      address() {
        return this.from;
      },
      network() {
        return networkOfIp(this.from);
      },
    };
  }

  /** @returns whether the key was known as admitted before the request, and whether the request was admitted */
  async function ask(authorization: string | undefined) {
    const admitter = admitterOf();
    const applicant = applicantOf(authorization);
    const before = admitter.wasAdmitted(applicant);
    const admission = await admitter.admit(applicant);
    return { before, admitted: admission.refusal === undefined };
  }
  const askWith = (key: TestKey) => ask(`Bearer ${key.secret}`);

  test.each([
    ["no key", undefined],
    ["another scheme", "Basic YTpi"],
    ["a malformed key", "Bearer nonsense"],
    ["a key that does not exist", `Bearer ${someKey(account).secret}`],
  ])("never include %s", async (_, authorization) => {
    for (let i = 0; i < 5; i += 1) {
      expect(await ask(authorization)).toEqual({ before: false, admitted: false });
    }
  });

  test("include a key for 10 s after it was admitted", async () => {
    const key = await addKey(under.stores, account);
    expect(await askWith(key)).toEqual({ before: false, admitted: true });
    expect(await askWith(key)).toEqual({ before: true, admitted: true });
    vi.advanceTimersByTime(9_999);
    expect(await askWith(key)).toEqual({ before: true, admitted: true });
    vi.advanceTimersByTime(10_000);
    expect(await askWith(key)).toEqual({ before: false, admitted: true });
    expect(await askWith(key)).toEqual({ before: true, admitted: true });
  });

  test("do not include a key that was revoked, once it was refused", async () => {
    const key = await addKey(under.stores, account);
    await askWith(key);
    await under.stores.accounts.revokeKey(key.keyId);
    expect(await askWith(key)).toEqual({ before: true, admitted: false });
    expect(await askWith(key)).toEqual({ before: false, admitted: false });
  });

  test("do not include a key beyond its limit", async () => {
    const key = await addKey(under.stores, account);
    for (let i = 0; i < 61; i += 1) await askWith(key);
    expect(await askWith(key)).toEqual({ before: false, admitted: false });
  });

  test("make all keys of an account one caller in the queues of requests", async () => {
    const keys = [await addKey(under.stores, account), await addKey(under.stores, account)];
    const callers = () =>
      keys.map(({ secret }) => admitterOf().callerOf(applicantOf(`Bearer ${secret}`)));
    // A key that was never admitted can be invented, so it does not name an account.
    expect(callers()).toEqual(["192.0.2.1", "192.0.2.1"]);
    for (const key of keys) await askWith(key);
    expect(callers()).toEqual([account, account]);
  });

  test("include a key with networks only at the address where it was admitted", async () => {
    const home = networkOfIp("192.0.2.1");
    const key = await addKey(under.stores, account, { networks: [home] });
    const admitter = admitterOf();
    const state = (from: string) => {
      const applicant = applicantOf(`Bearer ${key.secret}`, from);
      const hasLimits = admitter.lastLimits(applicant) !== undefined;
      return [admitter.wasAdmitted(applicant), hasLimits, admitter.callerOf(applicant)];
    };
    expect(await askWith(key)).toEqual({ before: false, admitted: true });
    const elsewhere = applicantOf(`Bearer ${key.secret}`, "192.0.2.2");
    for (let request = 0; request < 2; request += 1) {
      expect((await admitter.admit(elsewhere)).verdict).toBe("address_not_allowed");
      // Who has stolen the key cannot act for the account, and does not change what is known of its owner.
      expect(state("192.0.2.2")).toEqual([false, false, "192.0.2.2"]);
      expect(state("192.0.2.1")).toEqual([true, true, account]);
    }
    for (let request = 0; request < 60; request += 1) await askWith(key);
    expect(state("192.0.2.1")).toEqual([false, true, account]);
    expect(state("192.0.2.2")).toEqual([false, false, "192.0.2.2"]);
  });
});
