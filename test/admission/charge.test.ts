import { describe, expect, test } from "vitest";
import { createAdmitter } from "../../src/admission/admission.ts";
import type { BanWatch } from "../../src/admission/ban-watch.ts";
import type { BatchCost } from "../../src/admission/batch-cost.ts";
import { createCharge } from "../../src/admission/charge.ts";
import { addAccount, addKey } from "../support/accounts.ts";
import { contextOf } from "../support/context.ts";
import { someTime, storeKinds } from "../support/stores.ts";

const account = "aaaaaaaaaaaa";
const minuteMs = 60_000;
const cost = { itemsPerRequest: 1, maxStoredItems: 0 } as BatchCost;

describe.each(storeKinds)(
  "the usage of a batch that is decided in the minute after its admission, in $name",
  ({ use }) => {
    const under = use();
    const first = Math.floor(someTime / minuteMs);

    /** Admits a batch in one minute, and charges it in the next. Returns the counts of each minute by outcome. */
    async function countsOf(requests: number, between: () => Promise<unknown> = async () => {}) {
      await addAccount(under.stores, { plan: "enterprise", limits: { perMinute: 9, perDay: 9 } });
      const { keyHash } = await addKey(under.stores, account);
      const counts = new Map<string, number>();
      const usage = {
        count(_: unknown, outcome: string, at: number, count: number) {
          const name = `${outcome} in minute ${Math.floor(at / minuteMs) - first}`;
          counts.set(name, (counts.get(name) ?? 0) + count);
        },
      };
      under.clock.now = (first + 1) * minuteMs - 1;
      const decision = await under.stores.admission.admitKey(account, keyHash);
      if (decision.verdict !== "admitted") throw new Error(decision.verdict);
      const { countedAt, decidedAt } = decision;
      usage.count(undefined, "admitted", decidedAt, 1);
      under.clock.now += 1;
      await between();
      const caller = { ...decision.caller, counted: { accountId: account, keyHash, countedAt } };
      const call = contextOf(caller);
      const charge = createCharge(under.stores, undefined, usage);
      const isRefused = await charge(cost, requests, call)?.then(
        () => false,
        () => true,
      );
      return { isRefused, counts: Object.fromEntries(counts) };
    }

    test("counts the rest of an admitted one when it was decided", async () => {
      expect(await countsOf(5)).toEqual({
        isRefused: false,
        counts: { "admitted in minute 0": 1, "admitted in minute 1": 4 },
      });
    });

    test("takes back the first request of a refused one when that was counted", async () => {
      expect(await countsOf(10)).toEqual({
        isRefused: true,
        counts: { "admitted in minute 0": 0, "limited in minute 1": 10 },
      });
    });

    test("does the same for a disabled account, and counts no refusal", async () => {
      const disable = () => under.stores.accounts.update(account, { state: "disabled" });
      expect(await countsOf(5, disable)).toEqual({
        isRefused: true,
        counts: { "admitted in minute 0": 0 },
      });
    });
  },
);

describe.each(storeKinds)("a ban in $name", ({ use }) => {
  const under = use();

  test.each(["requests", "batches"])(
    "is reported once, with its level and end, if %s cause it",
    async (kind) => {
      const limits = { perMinute: 1, perDay: 9 };
      await addAccount(under.stores, { plan: "enterprise", limits });
      const { keyId, keyHash: hash } = await addKey(under.stores, account);
      const reported: unknown[] = [];
      const bans: BanWatch = { banned: (...ban) => void reported.push(ban), admitted() {} };
      const { admission } = under.stores;
      const { admit } = createAdmitter({ store: admission, anonymousLimits: limits, bans });
      const charge = createCharge(under.stores, bans);
      const key = { accountId: account, hash };
      const send = async () => {
        const { caller } = await admit({
          key,
          fault: undefined,
          address: () => "",
          network: () => "",
        });
        if (kind === "requests" || !caller || !("counted" in caller)) return;
        const call = contextOf(caller);
        await expect(charge(cost, 2, call)).rejects.toThrow();
      };
      // One request is admitted, or none of the batches. 60 refusals cause no ban.
      for (let sent = 0; sent < 60 + (kind === "requests" ? 1 : 0); sent += 1) await send();
      expect(reported).toEqual([]);
      for (let sent = 0; sent < 3; sent += 1) await send();
      const ban = { accountId: account, keyId, level: 1, until: someTime + minuteMs };
      expect(reported).toEqual([[ban, minuteMs]]);
    },
  );
});
