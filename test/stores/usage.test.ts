import { describe, expect, it, vi } from "vitest";
import { newKeyId } from "../../src/access/api-key.ts";
import { dayMs, minuteMs } from "../../src/common/durations.ts";
import {
  accountKey,
  bansKey,
  dayUsageKey,
  partitionOf,
  usageKeys,
} from "../../src/stores/redis/keys.ts";
import {
  type BanPosition,
  type KeyMinute,
  maxKeysPerDay,
  noRequests,
  reportedKeys,
  sumOf,
} from "../../src/stores/usage-store.ts";
import { addAccount, addKey } from "../support/accounts.ts";
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

  it("reports requests of yesterday that are added after a report, also with more keys than it shows", async () => {
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

  it("counts the requests of very many keys of a day together, and loses none", async () => {
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

  it("expires: each key that counts has a time to live", async () => {
    const { stores } = under;
    await addAccount(stores);
    const keyId = newKeyId(account);
    const now = Date.now();
    const counts = [
      { ...counted(keyId, { admitted: 1, limited: 1 }), minute: Math.floor(now / minuteMs) },
    ];
    const bans = [{ keyId, since: now, until: now + 60_000 }];
    await stores.usage.add({ counts, bans });
    const keys = await redis.client.keys("inv:*");
    const own = keys.filter((key) => /:(?:day|hour|top-\w+):\d+$|:bans$/.test(key));
    expect(own).toHaveLength(5);
    for (const key of own) {
      const days = (await redis.client.ttl(key)) / 86_400;
      expect([key, days > 0 && days <= 32]).toEqual([key, true]);
    }
    const deletable = new Set(usageKeys(account, now));
    expect(own.filter((key) => deletable.has(key))).toHaveLength(2);
  });

  it("lists all bans page by page, also if one partition has more than one read returns", async () => {
    const { stores } = under;
    const [many, one] = ["aaaaaaaaaaaa", "bbbbbbbbbbbb"];
    expect(partitionOf(many)).not.toBe(partitionOf(one));
    await redis.client.del(bansKey(partitionOf(many)), bansKey(partitionOf(one)));
    const since = Date.now();
    const keyIds: string[] = [];
    for (let at = 0; at < 151; at += 1) {
      const accountId = at < 150 ? many : one;
      if (at % 150 === 0) await addAccount(stores, undefined, accountId);
      const { keyId, keyHash } = await addKey(stores, accountId);
      const until = since + dayMs - 1_000 + at;
      // The last fields of the record are the level of the ban and its end (see accounts.lua).
      const record = (await redis.client.hget(accountKey(accountId), keyHash)) ?? "";
      const banned = record.replace(/ 0 0$/, ` 5 ${until}`);
      await redis.client.hset(accountKey(accountId), keyHash, banned);
      await stores.usage.add({ counts: [], bans: [{ keyId, since, until }] });
      keyIds.push(keyId);
    }
    const found: string[] = [];
    let after: BanPosition | undefined;
    do {
      const { bans, next } = await stores.usage.bans(after, 500);
      found.push(...bans.map(({ key }) => key.keyId));
      after = next;
    } while (after !== undefined);
    expect(found).toEqual(keyIds);
  });

  it("reads a day that is over for each account, also when it has many keys", async () => {
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

  it("reads a day that is over and has many keys once, and keeps its sums", async () => {
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

  it("adds nothing without a connection, and says so", async () => {
    const own = await startRedisServer();
    const stores = await readyStores(own.url);
    await own.stop();
    const batch = { counts: [counted(newKeyId(account))], bans: [] };
    const { usage } = stores;
    // Commands may be sent until the connection is known to be closed.
    await vi.waitFor(async () => expect(await usage.add(batch)).toBe(false));
  });
});
