import { describe, expect, test } from "vitest";
import { newKeyId } from "../../src/access/api-key.ts";
import { dayMs, minuteMs } from "../../src/common/durations.ts";
import { dayUsageKey } from "../../src/stores/redis/keys.ts";
import {
  type KeyMinute,
  maxKeysPerDay,
  noRequests,
  reportedKeys,
  sumOf,
} from "../../src/stores/usage-store.ts";
import { addAccount } from "../support/accounts.ts";
import { readyStores, someTime, storeKinds, useReadyStores, useRedis } from "../support/stores.ts";
import { startRedisServer } from "../system/harness/redis-server.ts";

const account = "aaaaaaaaaaaa";
const minute = Math.floor(someTime / minuteMs);
const today = Math.floor(someTime / dayMs);

function counted(keyId: string, requests: Partial<KeyMinute> = { admitted: 1 }): KeyMinute {
  return { accountId: account, keyId, minute, ...noRequests, ...requests };
}

describe.each(storeKinds)("usage store in $name", ({ use }) => {
  const under = use();
  const read = (days = 30) => under.stores.usage.read(account, under.clock.now, days);

  test("reports requests of yesterday that are added after a report, also with more keys than it shows", async () => {
    const { usage } = under.stores;
    await addAccount(under.stores);
    const keyIds = Array.from({ length: reportedKeys + 1 }, () => newKeyId(account));
    const yesterday = minute - dayMs / minuteMs;
    const add = (ids: readonly string[]) =>
      usage.add({ counts: ids.map((id) => ({ ...counted(id), minute: yesterday })), bans: [] });
    const sum = async () =>
      ((await read()).days.get(today - 1) ?? []).map(({ requests }) => requests).reduce(sumOf);
    await add(keyIds);
    expect(await sum()).toMatchObject({ admitted: reportedKeys + 1 });
    await add(keyIds.slice(0, 1));
    expect(await sum()).toMatchObject({ admitted: reportedKeys + 2 });
  });

  test("counts the requests of very many keys of a day together, and loses none", async () => {
    const { usage } = under.stores;
    await addAccount(under.stores);
    const keyIds = Array.from({ length: maxKeysPerDay + 50 }, () => newKeyId(account));
    for (let at = 0; at < keyIds.length; at += 100) {
      const counts = keyIds.slice(at, at + 100).map((keyId) => {
        return counted(keyId, { admitted: 1, limited: 2, banned: 3 });
      });
      await usage.add({ counts, bans: [] });
    }
    const keys = (await read()).days.get(today) ?? [];
    expect(keys.length).toBeLessThanOrEqual(maxKeysPerDay + 1);
    expect(keys.map(({ requests }) => requests).reduce(sumOf)).toEqual({
      admitted: keyIds.length,
      limited: 2 * keyIds.length,
      banned: 3 * keyIds.length,
    });
  });
});

describe("usage in Redis", () => {
  const redis = useRedis();
  const under = useReadyStores(redis);

  test("reads a day that is over for each account, also when it has many keys", async () => {
    const { stores } = under;
    const now = Date.now();
    const day = Math.floor(now / dayMs) - 2;
    const accounts = ["bbbbbbbbbbbb", "cccccccccccc"];
    for (const [at, accountId] of accounts.entries()) {
      const fields = Array.from({ length: 300 }, () => [`${newKeyId(accountId)}a`, String(at + 1)]);
      await redis.client.hset(dayUsageKey(accountId, day), ...fields.flat());
    }
    const sums: number[] = [];
    for (const accountId of accounts) {
      const { days } = await stores.usage.read(accountId, now, 30);
      sums.push((days.get(day) ?? []).reduce((sum, { requests }) => sum + requests.admitted, 0));
    }
    expect(sums).toEqual([300, 600]);
  });

  test("reads a day that is over and has many keys once, and keeps its sums", async () => {
    const { stores } = under;
    const now = Date.now();
    const day = Math.floor(now / dayMs) - 2;
    const fields = Array.from({ length: 300 }, (_, at) => [`${newKeyId(account)}a`, at + 1]);
    await redis.client.hset(dayUsageKey(account, day), ...fields.flat());
    const first = await stores.usage.read(account, now, 30);
    await redis.client.hset(dayUsageKey(account, day), `${newKeyId(account)}a`, 1);
    const second = await stores.usage.read(account, now, 30);
    for (const { days } of [first, second]) {
      const keys = days.get(day) ?? [];
      expect(keys.map(({ requests }) => requests.admitted).slice(0, 2)).toEqual([300, 299]);
      expect(keys).toHaveLength(101);
      const total = keys.map(({ requests }) => requests).reduce(sumOf, noRequests);
      expect(total).toEqual({ admitted: (300 * 301) / 2, limited: 0, banned: 0 });
    }
  });

  test("adds nothing without a connection, and says so", async () => {
    const own = await startRedisServer();
    const stores = await readyStores(own.url);
    await own.stop();
    const batch = { counts: [counted(newKeyId(account))], bans: [] };
    const { usage } = stores;
    // Commands may be sent until the connection is known to be closed.
    await expect.poll(() => usage.add(batch)).toBe(false);
  });
});
