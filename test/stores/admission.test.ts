import { describe, expect, test } from "vitest";
import { banLadderMs } from "../../src/access/bans.ts";
import type { PlanChoice } from "../../src/access/plans.ts";
import type { KeyDecision, Quota } from "../../src/stores/admission-store.ts";
import { addAccount, addAccountWithKey, addKey, type TestKey } from "../support/accounts.ts";
import { someTime, storeKinds } from "../support/stores.ts";

const minute = 60_000;
const day = 86_400_000;
const account = "aaaaaaaaaaaa";

const own = (perMinute: number, perDay: number) =>
  ({ plan: "enterprise", limits: { perMinute, perDay } }) as const;

/** When a request stops counting in the minute: a minute after the end of its bucket. */
const leavesMinute = (time: number) => Math.floor(time / 1000) * 1000 + 61_000;
/** The same for the day, with buckets of 15 minutes. */
const leavesDay = (time: number) => Math.floor(time / 900_000) * 900_000 + day + 900_000;

describe.each(storeKinds)("admission store in $name", ({ use }) => {
  const under = use();

  const newKey = (choice?: PlanChoice, more?: Parameters<typeof addKey>[2]) =>
    addAccountWithKey(under.stores, choice, more);

  function admit(key: TestKey): Promise<KeyDecision> {
    return under.stores.admission.admitKey(account, key.keyHash);
  }

  async function admitMany(key: TestKey, count: number): Promise<KeyDecision[]> {
    return Promise.all(Array.from({ length: count }, () => admit(key)));
  }

  const verdicts = (decisions: readonly { verdict: string }[]) =>
    decisions.reduce<Record<string, number>>((counts, { verdict }) => {
      counts[verdict] = (counts[verdict] ?? 0) + 1;
      return counts;
    }, {});

  function quota(decision: KeyDecision): Quota {
    if (!("windows" in decision)) throw new Error(`there is no quota: ${decision.verdict}`);
    return decision;
  }

  test("admits a valid key, and returns its caller", async () => {
    const key = await newKey(undefined, { scopes: ["store:write", "store:read"] });
    expect(await admit(key)).toEqual({
      verdict: "admitted",
      caller: {
        accountId: account,
        keyId: key.keyId,
        scopes: new Set(["store:write", "store:read"]),
        isStrict: false,
      },
      plan: "free",
      expiresAt: undefined,
      isRestricted: false,
      retryInMs: 0,
      countedAt: someTime,
      decidedAt: someTime,
      windows: {
        minute: {
          limit: 60,
          remaining: 59,
          resetAt: leavesMinute(someTime),
          moreInMs: leavesMinute(someTime) - someTime,
          waitMs: 0,
        },
        day: {
          limit: 1000,
          remaining: 999,
          resetAt: leavesDay(someTime),
          moreInMs: leavesDay(someTime) - someTime,
          waitMs: 0,
        },
      },
    });
  });

  describe("limits", () => {
    test("reports when a full minute admits again, and admits then, not a millisecond before", async () => {
      const key = await newKey();
      await admitMany(key, 30);
      under.clock.now += 5_000;
      await admitMany(key, 30);
      under.clock.now += 20_000;
      const refused = quota(await admit(key));
      expect(refused).toMatchObject({
        verdict: "limited",
        retryInMs: leavesMinute(someTime) - under.clock.now,
        windows: {
          minute: {
            remaining: 0,
            resetAt: leavesMinute(someTime + 5_000),
            moreInMs: leavesMinute(someTime) - under.clock.now,
          },
          day: { remaining: 940 },
        },
      });
      under.clock.now += refused.retryInMs - 1;
      expect(await admit(key)).toMatchObject({ verdict: "limited", retryInMs: 1 });
      under.clock.now += 1;
      expect(verdicts(await admitMany(key, 31))).toEqual({ admitted: 30, limited: 1 });
    });

    test("waits for the day when its limit is reached, and leaves the minute unchanged", async () => {
      const key = await newKey(own(50, 70));
      await admitMany(key, 50);
      under.clock.now += 2 * minute;
      expect(verdicts(await admitMany(key, 21))).toEqual({ admitted: 20, limited: 1 });
      expect(quota(await admit(key))).toMatchObject({
        retryInMs: leavesDay(someTime) - under.clock.now,
        windows: { minute: { limit: 50, remaining: 30 }, day: { limit: 70, remaining: 0 } },
      });
    });

    test("admits as soon as the day's oldest requests have left, a moment after the last was counted", async () => {
      const key = await newKey(own(9, 2));
      const left = leavesDay(under.clock.now);
      await admit(key);
      under.clock.now = left - 1;
      expect(await admitMany(key, 2)).toMatchObject([
        { verdict: "admitted", windows: { day: { remaining: 0 } } },
        { verdict: "limited", retryInMs: 1 },
      ]);
      under.clock.now = left;
      expect(await admitMany(key, 2)).toMatchObject([
        { verdict: "admitted", windows: { day: { remaining: 0 } } },
        { verdict: "limited", retryInMs: leavesDay(left - 1) - left },
      ]);
    });

    describe("after the clock was set back", () => {
      const [hour, second] = [60 * minute, 1_000];

      test("by up to a minute, a full minute stays full, and the waits include what the clock must catch up", async () => {
        const key = await newKey();
        under.clock.now += minute;
        await admitMany(key, 60);
        under.clock.now -= minute;
        const wait = leavesMinute(someTime + minute) - someTime;
        const refused = quota(await admit(key));
        expect(refused).toMatchObject({
          verdict: "limited",
          retryInMs: wait,
          decidedAt: someTime,
          windows: { minute: { remaining: 0, moreInMs: wait, waitMs: wait } },
        });
        expect(refused.windows.minute.resetAt - refused.decidedAt).toBe(wait);
        under.clock.now += wait - 1;
        expect(await admit(key)).toMatchObject({ verdict: "limited", retryInMs: 1 });
        under.clock.now += 1;
        expect(await admit(key)).toMatchObject({ verdict: "admitted" });
      });

      test("by up to a minute, admitted requests count at the time that the window has reached", async () => {
        const key = await newKey();
        under.clock.now += 30 * second;
        await admitMany(key, 59);
        under.clock.now -= 30 * second;
        expect(quota(await admit(key)).windows.minute).toEqual({
          limit: 60,
          remaining: 0,
          resetAt: leavesMinute(someTime + 30 * second),
          moreInMs: leavesMinute(someTime + 30 * second) - someTime,
          waitMs: leavesMinute(someTime + 30 * second) - someTime,
        });
      });

      test("by more than a minute, the minute starts anew, and the day waits for the clock", async () => {
        const limits = { perMinute: 60, perDay: 61 };
        const key = await newKey({ plan: "enterprise", limits });
        under.clock.now += hour;
        await admitMany(key, 60);
        under.clock.now -= hour;
        const wait = leavesDay(someTime + hour) - someTime;
        expect(quota(await admit(key)).windows).toMatchObject({
          minute: { remaining: 59, moreInMs: leavesMinute(someTime) - someTime, waitMs: 0 },
          day: { remaining: 0, moreInMs: wait, waitMs: wait },
        });
        expect(quota(await admit(key))).toMatchObject({ verdict: "limited", retryInMs: wait });
        // The minute goes on by the clock.
        under.clock.now += minute + second;
        expect(quota(await admit(key))).toMatchObject({
          verdict: "limited",
          retryInMs: wait - minute - second,
          windows: { minute: { remaining: 60 }, day: { remaining: 0 } },
        });
        under.clock.now = someTime + wait - 1;
        expect(await admit(key)).toMatchObject({ verdict: "limited", retryInMs: 1 });
        under.clock.now += 1;
        expect(await admit(key)).toMatchObject({ verdict: "admitted" });
      });

      test("by more than a minute, both windows count on at their times, and then together", async () => {
        const key = await newKey();
        under.clock.now += hour;
        await admitMany(key, 10);
        under.clock.now -= hour;
        for (let time = 0; time < 5; time += 1) {
          await admit(key);
          under.clock.now += second;
        }
        expect(quota(await admit(key)).windows).toMatchObject({
          minute: { remaining: 54, resetAt: leavesMinute(someTime + 5 * second) },
          day: { remaining: 984, resetAt: leavesDay(someTime + hour) },
        });
        under.clock.now = someTime + 2 * hour;
        expect(quota(await admit(key)).windows).toMatchObject({
          minute: { remaining: 59 },
          day: { remaining: 983, resetAt: leavesDay(someTime + 2 * hour) },
        });
        expect(quota(await admit(key)).windows.day.remaining).toBe(982);
      });

      test.each([1, second, minute, 15 * minute])(
        "by more than a minute, each request counts for its day, also %i ms before the clock has caught up",
        async (before) => {
          const key = await newKey();
          const remaining = async () => quota(await admit(key)).windows.day.remaining;
          const ahead = someTime + hour;
          under.clock.now = ahead;
          await admitMany(key, 10);
          // The minute starts anew, and the day counts on at its own time.
          under.clock.now = someTime;
          await admit(key);
          under.clock.now = ahead - before;
          await admitMany(key, 2);
          under.clock.now = ahead;
          await admitMany(key, 3);
          expect(await remaining()).toBe(1_000 - 17);
          under.clock.now = leavesDay(ahead) - 1;
          expect(await remaining()).toBe(1_000 - 18);
          under.clock.now += 1;
          expect(await remaining()).toBe(1_000 - 2);
        },
      );

      test("by more than a day, both windows start anew", async () => {
        const key = await newKey(own(5, 5));
        under.clock.now += day + second;
        await admitMany(key, 5);
        expect(await admit(key)).toMatchObject({ verdict: "limited" });
        under.clock.now -= day + second;
        expect(quota(await admit(key))).toMatchObject({
          verdict: "admitted",
          decidedAt: someTime,
          windows: { minute: { remaining: 4 }, day: { remaining: 4 } },
        });
      });

      test("by exactly a day, the day waits", async () => {
        const key = await newKey(own(5, 5));
        under.clock.now += day;
        await admitMany(key, 5);
        under.clock.now -= day;
        const wait = leavesDay(someTime + day) - someTime;
        expect(await admit(key)).toMatchObject({ verdict: "limited", retryInMs: wait });
      });

      test("a refused batch gives its first request back to both windows", async () => {
        const key = await newKey();
        under.clock.now += hour;
        await admitMany(key, 10);
        under.clock.now -= hour;
        const { countedAt } = quota(await admit(key));
        const counted = { accountId: account, keyHash: key.keyHash, countedAt };
        expect(await under.stores.admission.charge(counted, 61)).toMatchObject({
          verdict: "limited",
          windows: { minute: { remaining: 60 }, day: { remaining: 990 } },
        });
      });

      test("a client address is counted by the same rules", async () => {
        const limits = { perMinute: 2, perDay: 100 };
        const at = () => under.stores.admission.countAddress("192.0.2.7", limits);
        under.clock.now += 30 * second;
        await at();
        await at();
        under.clock.now -= 30 * second;
        const wait = leavesMinute(someTime + 30 * second) - someTime;
        expect(await at()).toMatchObject({ verdict: "limited", retryInMs: wait });
        under.clock.now -= 31 * second;
        expect(await at()).toMatchObject({
          verdict: "admitted",
          windows: { minute: { remaining: 1 } },
        });
      });

      test("a ban lasts until its end, and one of a clock far ahead has ended", async () => {
        const key = await newKey();
        under.clock.now += minute;
        const { countedAt } = quota(await admit(key));
        await admitMany(key, 120);
        const counted = { accountId: account, keyHash: key.keyHash, countedAt };
        expect(await under.stores.admission.charge(counted, 2)).toMatchObject({
          verdict: "banned",
          retryInMs: minute,
        });
        under.clock.now -= minute;
        expect(await admit(key)).toMatchObject({ verdict: "banned", retryInMs: 2 * minute });
        under.clock.now -= 1;
        expect(await admit(key)).toMatchObject({ verdict: "admitted" });
        const [record] = (await under.stores.accounts.listKeys(account)) ?? [];
        expect(record?.bannedUntil).toBeUndefined();
        // The next ban is one step longer, not more.
        await admitMany(key, 119);
        expect(quota((await admitMany(key, 1))[0] as KeyDecision)).toMatchObject({
          ban: { level: 2, until: someTime - 1 + 5 * minute },
        });
      });
    });

    test("a refused batch gives nothing back to a window that no longer counts its first request", async () => {
      const key = await newKey();
      const { countedAt } = quota(await admit(key));
      under.clock.now += 2 * minute;
      const counted = { accountId: account, keyHash: key.keyHash, countedAt };
      const whole = { minute: { remaining: 60 }, day: { remaining: 1_000 } };
      expect(await under.stores.admission.charge(counted, 62)).toMatchObject({
        verdict: "limited",
        windows: whole,
      });
      expect(await admit(key)).toMatchObject({
        windows: { minute: { remaining: 59 }, day: { remaining: 999 } },
      });
    });

    test("reports when more requests are left after the plan was lowered, and after it was raised", async () => {
      const limits = { perMinute: 60, perDay: 100_000 };
      const key = await newKey({ plan: "enterprise", limits });
      const perMinute = (most: number) =>
        under.stores.accounts.update(account, {
          choice: { plan: "enterprise", limits: { perMinute: most, perDay: 100_000 } },
        });
      await admitMany(key, 30);
      under.clock.now += 10_000;
      await admitMany(key, 20);
      under.clock.now += 10_000;
      await admitMany(key, 10);
      await perMinute(20);
      // 60 count. 30 leave first, then 20: only then is one of 20 left.
      const more = leavesMinute(someTime + 10_000) - under.clock.now;
      expect(quota(await admit(key)).windows.minute).toMatchObject({
        remaining: 0,
        moreInMs: more,
      });
      await perMinute(100);
      expect(quota(await admit(key)).windows.minute).toMatchObject({
        remaining: 39,
        moreInMs: leavesMinute(someTime) - under.clock.now,
      });
    });

    test("counts accounts separately", async () => {
      const key = await newKey();
      const other = await addAccount(under.stores, { plan: "free" }, "bbbbbbbbbbbb");
      const otherKey = await addKey(under.stores, other);
      await admitMany(key, 60);
      expect(await under.stores.admission.admitKey(other, otherKey.keyHash)).toMatchObject({
        windows: { minute: { remaining: 59 } },
      });
    });
  });

  describe("bans", () => {
    async function fullAccount() {
      const key = await newKey();
      await admitMany(key, 60);
      return key;
    }

    test("makes a batch wait for the end of the ban, and for one request", async () => {
      const key = await newKey();
      for (let minutes = 0; minutes < 16; minutes++) {
        under.clock.now = leavesMinute(under.clock.now);
        expect(verdicts(await admitMany(key, 60))).toEqual({ admitted: 60 });
      }
      const full = leavesMinute(under.clock.now) - under.clock.now;
      expect(verdicts(await admitMany(key, 60))).toEqual({ limited: 60 });
      // 40 requests are left in the day, and the batch can count as 50.
      const head = { network: () => "", batch: { most: 50 } };
      const send = () => under.stores.admission.admitKey(account, key.keyHash, undefined, head);
      for (const level of [1, undefined]) {
        const decision = quota(await send());
        expect(decision).toMatchObject({
          verdict: "banned",
          retryInMs: minute,
          windows: { minute: { waitMs: full }, day: { remaining: 40, waitMs: 0 } },
        });
        expect(decision.ban?.level).toBe(level);
      }
    });

    test("reports each ban once, with its level and end", async () => {
      const key = await fullAccount();
      const before = await admitMany(key, 60);
      const [first, ...during] = await admitMany(key, 3);
      under.clock.now = Math.max(someTime + minute, leavesMinute(someTime));
      await admitMany(key, 60);
      const again = (await admitMany(key, 61)).at(-1);
      expect(first).toMatchObject({ ban: { level: 1, until: someTime + minute } });
      expect(again).toMatchObject({ ban: { level: 2, until: under.clock.now + 5 * minute } });
      for (const decision of [...before, ...during]) expect(quota(decision).ban).toBeUndefined();
    });

    test("does not ban for 61 refusals spread over more than a minute", async () => {
      const key = await newKey(own(1, 1));
      await admit(key);
      await admitMany(key, 30);
      under.clock.now += minute;
      expect(verdicts(await admitMany(key, 31))).toEqual({ limited: 31 });
    });

    test("counts each refusal in the second in which it was made, also right after the next one begins", async () => {
      const key = await newKey(own(1, 1));
      under.clock.now = Math.floor(someTime / 1_000) * 1_000 + 999;
      await admit(key);
      await admitMany(key, 40);
      under.clock.now += 1;
      await admitMany(key, 10);
      // The 40 refusals are more than a minute old. Of the others, 60 cause no ban, and the next one does.
      under.clock.now += minute - 1_000;
      expect(verdicts(await admitMany(key, 51))).toEqual({ limited: 50, banned: 1 });
    });

    test("bans only when refusals exceed the minute limit, if that is larger", async () => {
      const key = await newKey(own(100, 1));
      await admit(key);
      expect(verdicts(await admitMany(key, 101))).toEqual({ limited: 100, banned: 1 });
    });

    test("does not extend a ban for requests during it, nor count them", async () => {
      const key = await fullAccount();
      await admitMany(key, 61);
      under.clock.now += minute - 1;
      expect(verdicts(await admitMany(key, 200))).toEqual({ banned: 200 });
      under.clock.now += 1;
      under.clock.now = Math.max(under.clock.now, leavesMinute(someTime));
      expect(verdicts(await admitMany(key, 60))).toEqual({ admitted: 60 });
      expect(verdicts(await admitMany(key, 60))).toEqual({ limited: 60 });
    });

    test("bans the key, not its account", async () => {
      const key = await fullAccount();
      const other = await addKey(under.stores, account);
      await admitMany(key, 61);
      expect(await admit(other)).toMatchObject({ verdict: "limited" });
    });

    async function banAgain(key: TestKey): Promise<number> {
      for (;;) {
        const decision = quota(await admit(key));
        if (decision.verdict === "banned") return decision.retryInMs;
      }
    }

    test("bans for longer each time, up to a day", async () => {
      const key = await newKey(own(1, 1));
      const lengths: number[] = [];
      for (let i = 0; i < 6; i++) {
        const length = await banAgain(key);
        lengths.push(length);
        under.clock.now += length;
      }
      expect(lengths).toEqual([minute, 5 * minute, 30 * minute, 120 * minute, day, day]);
    });

    test("forgives one level for each clean day", async () => {
      const key = await newKey(own(1, 1));
      for (let i = 0; i < 4; i++) {
        under.clock.now += await banAgain(key);
      }
      under.clock.now += 2 * day;
      expect(await banAgain(key)).toBe(banLadderMs[2]);
      under.clock.now += banLadderMs[2] + day - 1;
      expect(await banAgain(key)).toBe(banLadderMs[3]);
    });

    test("forgets the refusals of a key that is not banned yet, if its ban is lifted", async () => {
      const key = await fullAccount();
      await admitMany(key, 60);
      await under.stores.accounts.unbanKey(key.keyId);
      expect(verdicts(await admitMany(key, 60))).toEqual({ limited: 60 });
    });

    test("lifts a ban at once, and resets the ban level", async () => {
      const key = await fullAccount();
      await admitMany(key, 61);
      const lifted = await under.stores.accounts.unbanKey(key.keyId);
      expect(lifted).toMatchObject({ keyId: key.keyId, bannedUntil: undefined });
      expect(await admit(key)).toMatchObject({ verdict: "limited" });
      expect(await banAgain(key)).toBe(minute);
    });
  });

  describe("addresses", () => {
    const limits = { perMinute: 3, perDay: 4 };
    const countAddress = (address: string) => under.stores.admission.countAddress(address, limits);
    const times = (count: number, request: () => Promise<Quota>) =>
      Promise.all(Array.from({ length: count }, request));
    const address = (i: number) => `2001:db8:1:${i.toString(16)}::/64`;
    const of56 = (i: number) => `2001:db8:1:2${i.toString(16).padStart(2, "0")}::/64`;
    const of48 = (i: number) => `2001:db8:1:${i.toString(16)}00::/64`;

    test("slides both windows", async () => {
      await Promise.all([1, 2, 3].map(() => countAddress("2001:db8::/64")));
      under.clock.now = leavesMinute(someTime);
      expect(await countAddress("2001:db8::/64")).toMatchObject({ verdict: "admitted" });
      expect(await countAddress("2001:db8::/64")).toMatchObject({
        verdict: "limited",
        retryInMs: leavesDay(someTime) - under.clock.now,
      });
    });

    test("also counts an IPv6 address for its /56 and /48", async () => {
      // 3 of each /64 would be 15: the /56 admits 4 times the limit of one.
      for (let i = 0; i < 4; i += 1) {
        expect(verdicts(await times(3, () => countAddress(of56(i))))).toEqual({ admitted: 3 });
      }
      expect(await countAddress(of56(4))).toMatchObject({
        verdict: "limited",
        retryInMs: leavesMinute(someTime) - someTime,
        windows: { minute: { limit: 12, remaining: 0 }, day: { limit: 16, remaining: 4 } },
      });
      // 12 of the 48 requests of the /48 are used. The next /56s use the rest.
      for (let i = 3; i < 15; i += 1) {
        expect(verdicts(await times(3, () => countAddress(of48(i))))).toEqual({ admitted: 3 });
      }
      expect(await countAddress(of48(15))).toMatchObject({
        verdict: "limited",
        windows: { minute: { limit: 48, remaining: 0 }, day: { limit: 64, remaining: 16 } },
      });
      expect(await countAddress("2001:db8:2:200::/64")).toMatchObject({ verdict: "admitted" });
    });

    test("admits no more than the day's limits of a /56, if they are below those of a minute", async () => {
      const limits = { perMinute: 9, perDay: 2 };
      const count = (i: number) =>
        under.stores.admission.countAddress(`2001:db8:1:20${i}::/64`, limits);
      for (const i of [0, 0, 1, 1, 2, 2, 3]) await count(i);
      under.clock.now = leavesMinute(someTime);
      expect(await count(3)).toMatchObject({ verdict: "admitted" });
      expect(await count(4)).toMatchObject({
        verdict: "limited",
        windows: { minute: { limit: 36 }, day: { limit: 8, remaining: 0 } },
      });
    });

    test("admits no more than the day's limits of a /56 and a /48, when their minutes have room", async () => {
      for (let i = 0; i < 4; i += 1) await times(3, () => countAddress(of56(i)));
      under.clock.now = leavesMinute(someTime);
      expect(verdicts(await times(3, () => countAddress(of56(4))))).toEqual({ admitted: 3 });
      expect(verdicts(await times(3, () => countAddress(of56(5))))).toEqual({
        admitted: 1,
        limited: 2,
      });
      expect(await countAddress(of56(6))).toMatchObject({
        retryInMs: leavesDay(someTime) - under.clock.now,
        windows: { minute: { limit: 12, remaining: 8 }, day: { limit: 16, remaining: 0 } },
      });
      // 16 of the 64 requests of the /48 are used.
      for (let i = 3; i < 15; i += 1) await times(3, () => countAddress(of48(i)));
      under.clock.now = leavesMinute(under.clock.now);
      for (let i = 3; i < 15; i += 1) {
        expect(await countAddress(of48(i))).toMatchObject({ verdict: "admitted" });
      }
      expect(await countAddress(of48(15))).toMatchObject({
        verdict: "limited",
        windows: { minute: { limit: 48 }, day: { limit: 64, remaining: 0 } },
      });
    });

    test("leaves the windows of an address unchanged when its /56 refuses", async () => {
      for (let i = 0; i < 4; i += 1) await times(3, () => countAddress(address(i)));
      expect(verdicts(await times(9, () => countAddress(address(4))))).toEqual({ limited: 9 });
      under.clock.now = leavesMinute(someTime);
      expect(await countAddress(address(4))).toMatchObject({
        verdict: "admitted",
        windows: { minute: { remaining: 2 }, day: { remaining: 3 } },
      });
    });

    test("does not count for a /56 and /48 what the windows of the address refuse", async () => {
      await times(100, () => countAddress(address(0)));
      for (let i = 1; i < 4; i += 1) {
        expect(verdicts(await times(3, () => countAddress(address(i))))).toEqual({ admitted: 3 });
      }
    });

    test("reports the narrowest of the networks that refuse for equally long", async () => {
      const padded = (i: number) => `2001:db8:1:${i.toString(16).padStart(4, "0")}::/64`;
      // All limits of the /64s and of their /56, and then those of all /56s and of their /48.
      for (let i = 0; i < 4; i += 1) await times(3, () => countAddress(padded(i)));
      const full = { minute: { limit: 3, remaining: 0 }, day: { limit: 4 } };
      expect(await countAddress(padded(0))).toMatchObject({ verdict: "limited", windows: full });
      for (let group = 1; group < 4; group += 1) {
        for (let i = 0; i < 4; i += 1) await times(3, () => countAddress(padded(256 * group + i)));
      }
      const wider = { minute: { limit: 12, remaining: 0 }, day: { limit: 16 } };
      expect(await countAddress(padded(4))).toMatchObject({ verdict: "limited", windows: wider });
      const widest = { minute: { limit: 48, remaining: 0 }, day: { limit: 64 } };
      expect(await countAddress(padded(1_024))).toMatchObject({
        verdict: "limited",
        windows: widest,
      });
    });

    test("waits for the network that refuses for longest", async () => {
      // The first /64 is refused by its day, its /56 by the minute.
      await times(3, () => countAddress(address(0)));
      under.clock.now = leavesMinute(someTime);
      await countAddress(address(0));
      for (let i = 1; i < 4; i += 1) await times(3, () => countAddress(address(i)));
      await times(2, () => countAddress(address(4)));
      expect(await countAddress(address(0))).toMatchObject({
        retryInMs: leavesDay(someTime) - under.clock.now,
        windows: { minute: { limit: 3 }, day: { limit: 4, remaining: 0 } },
      });
    });
  });
});
