import { setTimeout as delay } from "node:timers/promises";
import { Code, ConnectError } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { minuteMs } from "../../../src/common/durations.ts";
import {
  createUsageShipper,
  type UsageShipper,
} from "../../../src/services/usage/usage-shipper.ts";
import { totalOf, type UsageBatch } from "../../../src/stores/usage-store.ts";

const caller = { accountId: "aaaaaaaaaaaa", keyId: "aaaaaaaaaaaa11111111" };
const other = { accountId: "bbbbbbbbbbbb", keyId: "bbbbbbbbbbbb11111111" };

/** A counter, and the batches that its store has received. */
function counterWith(
  add: (batch: UsageBatch) => Promise<boolean>,
  longestWaitMs = 60_000,
  intervalMs = 5,
) {
  const batches: UsageBatch[] = [];
  const dropped: number[] = [];
  const counter = createUsageShipper(
    {
      slotOf: (accountId) => accountId.charCodeAt(0),
      add: async (batch) => {
        batches.push(structuredClone(batch));
        return add(batch);
      },
    },
    {
      onDropped: (requests) => dropped.push(requests),
      onFault: (error) => {
        throw error;
      },
      intervalMs,
      longestWaitMs,
    },
  );
  return { counter, batches, dropped };
}

describe("the usage shipper", () => {
  test("puts only accounts of one slot in a batch", async () => {
    const { counter, batches } = counterWith(async () => true);
    counter.count(caller, "admitted", 0, 1);
    counter.count(other, "admitted", 0, 1);
    await counter.close();
    expect(batches.map(({ counts }) => counts.map(({ accountId }) => accountId))).toEqual([
      [caller.accountId],
      [other.accountId],
    ]);
  });

  test("puts at most 100 counts in a batch", async () => {
    const { counter, batches } = counterWith(async () => true);
    for (let at = 0; at < 250; at += 1) counter.count(caller, "admitted", at * minuteMs, 1);
    await counter.close();
    expect(batches.map(({ counts }) => counts.length)).toEqual([100, 100, 50]);
  });

  describe("while the store cannot be reached", () => {
    test("remembers no account whose requests it drops", async () => {
      const { counter, batches, dropped } = counterWith(async () => false);
      for (let at = 0; at < 50_000; at += 1) {
        counter.count({ accountId: `account ${at}`, keyId: "key" }, "admitted", 0, 1);
      }
      counter.count(other, "admitted", 0, 2);
      expect(dropped).toEqual([2]);
      await counter.ship(other.accountId);
      expect(batches).toEqual([]);
      await counter.close();
    });

    test("tries no other batch after one has failed", async () => {
      const { counter, batches, dropped } = counterWith(async () => false);
      for (let at = 0; at < 300; at += 1) counter.count(caller, "admitted", at * minuteMs, 1);
      await counter.close();
      expect(batches).toHaveLength(1);
      expect(dropped).toEqual([300]);
    });

    test("keeps at most 50,000 counts, and reports how many requests it drops", async () => {
      const { counter, batches, dropped } = counterWith(async () => false);
      for (let at = 0; at < 49_999; at += 1) {
        counter.count({ accountId: `account ${at}`, keyId: "key" }, "admitted", 0, 1);
      }
      counter.count(caller, "admitted", 0, 1);
      counter.count({ ...other, keyId: "one more" }, "admitted", 0, 3);
      expect(dropped).toEqual([3]);
      counter.count(caller, "admitted", 0, 1);
      expect(dropped).toEqual([3]);
      await counter.close();
      expect(batches.length).toBeGreaterThan(0);
      expect(dropped).toEqual([3, 50_001]);
    });
  });

  test("counts the requests of other accounts when one account has very many counts", async () => {
    const { counter, dropped } = counterWith(async () => false);
    for (let at = 0; at < 60_000; at += 1) {
      counter.count({ ...caller, keyId: `key ${at}` }, "admitted", 0, 1);
    }
    const before = dropped.length;
    for (let at = 0; at < 100; at += 1) {
      counter.count({ ...other, keyId: `key ${at}` }, "admitted", 0, 1);
    }
    expect([before, dropped.length]).toEqual([60_000 - 25_001, before]);
    await counter.close();
  });

  test.each<[way: string, ship: (counter: UsageShipper) => Promise<void>]>([
    ["an account is shipped on request", (counter) => counter.ship(caller.accountId)],
    ["all accounts are", (counter) => counter.shipAll()],
  ])("has room for new counts each time that %s", async (_, ship) => {
    const { counter, batches, dropped } = counterWith(async () => true, 60_000, 60_000);
    // An account may have half of the places, and one more while it is alone.
    for (let round = 0; round < 3; round += 1) {
      for (let at = 0; at < 20_000; at += 1) {
        counter.count({ ...caller, keyId: `key ${at}` }, "admitted", 0, 1);
      }
      await ship(counter);
    }
    expect(dropped).toEqual([]);
    expect(batches.flatMap(({ counts }) => counts)).toHaveLength(60_000);
    await counter.close();
  });

  test("has room for new counts after it has lost some, because the store did not reply", async () => {
    const { counter, dropped } = counterWith(
      async () => {
        throw new ConnectError("no reply", Code.Unavailable);
      },
      60_000,
      60_000,
    );
    for (let round = 0; round < 300; round += 1) {
      for (let at = 0; at < 100; at += 1) {
        counter.count({ ...caller, keyId: `key ${at}` }, "admitted", 0, 1);
      }
      await counter.ship(caller.accountId);
    }
    // Each round has lost its own counts, and no others.
    expect(new Set(dropped)).toEqual(new Set([100]));
    await counter.close();
  });

  test("never ships counts twice, if it is not known whether they were added", async () => {
    const { counter, batches, dropped } = counterWith(async () => {
      throw new ConnectError("no reply", Code.Unavailable);
    });
    for (let at = 0; at < 50; at += 1) counter.count(caller, "admitted", 0, 1);
    await expect.poll(() => dropped).toEqual([50]);
    await delay(20);
    await counter.close();
    expect(batches).toHaveLength(1);
  });

  test("ships a ban again, if it is not known whether it was added", async () => {
    let calls = 0;
    const { counter, batches } = counterWith(async () => {
      calls += 1;
      if (calls === 1) throw new ConnectError("no reply", Code.Unavailable);
      return true;
    });
    counter.banned({ keyId: caller.keyId, level: 1, until: 60_000 });
    await expect.poll(() => batches).toHaveLength(2);
    expect(batches[1]).toEqual(batches[0]);
    await counter.close();
  });

  test("counts each of very many requests once, while batches fail and succeed", async () => {
    let calls = 0;
    let stored = 0;
    const { counter } = counterWith(async ({ counts }) => {
      calls += 1;
      await delay(1);
      if (calls % 3 === 0) return false;
      for (const count of counts) stored += totalOf(count);
      return true;
    });
    for (let at = 0; at < 5_000; at += 1) {
      counter.count({ ...caller, keyId: `key ${at % 7}` }, "admitted", at * 100, 1);
      if (at % 500 === 0) await counter.ship(caller.accountId);
      if (at % 700 === 0) await delay(2);
    }
    await counter.shipAll();
    await counter.shipAll();
    await counter.close();
    expect(stored).toBe(5_000);
  });
});
