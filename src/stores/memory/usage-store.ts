import { dayMs, minuteMs } from "../../common/durations.ts";
import {
  type BannedKey,
  type BanPosition,
  firstToEnd,
  type KeyMinute,
  maxKeysPerDay,
  noRequests,
  otherKeys,
  type RequestCounts,
  reportedMinutes,
  storedDays,
  sumOf,
  type TopOrder,
  totalOf,
  type UsageStore,
} from "../usage-store.ts";
import {
  keyRecord,
  type MemoryAccount,
  type MemoryAccounts,
  type MemoryUsage,
} from "./accounts.ts";
import { newQuotaCounter, windowQuotas } from "./quota-counter.ts";

/** Makes the store of usage in memory. @param now the clock, in milliseconds since the epoch */
export function createMemoryUsageStore(accounts: MemoryAccounts, now: () => number): UsageStore {
  return {
    slotOf: () => 0,
    async add({ counts }) {
      for (const count of counts) {
        const account = accounts.get(count.accountId);
        if (account) addTo(account.usage, count);
      }
      return true;
    },
    async quota(accountId, limits) {
      const counter = accounts.get(accountId)?.counter;
      const clock = now();
      return { now: clock, windows: windowQuotas(counter ?? emptyCounter, limits, clock, 1) };
    },
    async read(accountId, clock, days) {
      const usage = accounts.get(accountId)?.usage;
      const first = Math.floor(clock / dayMs) - days + 1;
      const found = [...(usage?.days ?? [])].filter(([day]) => day >= first);
      return {
        minutes: new Map(usage?.minutes),
        days: new Map(
          found.map(([day, keys]) => [
            day,
            [...keys].map(([keyId, requests]) => ({ keyId, requests })),
          ]),
        ),
      };
    },
    async top(order, limit) {
      const day = Math.floor(now() / dayMs);
      return [...accounts.values()]
        .map(({ record, usage }) => ({ id: record.accountId, score: scoreOf(usage, order, day) }))
        .filter(({ score }) => score > 0)
        .sort((a, b) => b.score - a.score || (a.id < b.id ? 1 : -1))
        .slice(0, limit)
        .map(({ id }) => id);
    },
    async bans(after, limit) {
      const clock = now();
      const rest = [...accounts.values()]
        .flatMap((account) => bannedKeys(account, clock))
        .filter((ban) => after === undefined || firstToEnd(positionOf(ban), after) > 0)
        .sort((a, b) => firstToEnd(positionOf(a), positionOf(b)));
      const page = rest.slice(0, limit);
      const last = page.at(-1);
      return { bans: page, next: last && rest.length > limit ? positionOf(last) : undefined };
    },
  };
}

const emptyCounter = newQuotaCounter();

function addTo(usage: MemoryUsage, { keyId, minute, ...requests }: KeyMinute): void {
  const day = Math.floor((minute * minuteMs) / dayMs);
  const keys = usage.days.getOrInsertComputed(day, () => new Map());
  const id = keys.has(keyId) || keys.size < maxKeysPerDay ? keyId : otherKeys;
  keys.set(id, sumOf(keys.get(id) ?? noRequests, requests));
  usage.minutes.set(minute, sumOf(usage.minutes.get(minute) ?? noRequests, requests));
  for (const old of usage.days.keys()) if (old <= day - storedDays) usage.days.delete(old);
  // Twice as many as are reported: the clock can go back a little.
  for (const old of usage.minutes.keys()) {
    if (old <= minute - 2 * reportedMinutes) usage.minutes.delete(old);
  }
}

function scoreOf({ days }: MemoryUsage, order: TopOrder, day: number): number {
  const keys: Iterable<RequestCounts> = days.get(day)?.values() ?? [];
  let score = 0;
  for (const counts of keys) {
    score += order === "requests" ? totalOf(counts) : counts.limited + counts.banned;
  }
  return score;
}

function bannedKeys({ keys, record }: MemoryAccount, clock: number): BannedKey[] {
  return [...keys.values()].flatMap((key) => {
    const { bannedUntil, ...rest } = keyRecord(key, clock);
    return bannedUntil === undefined
      ? []
      : [{ key: { ...rest, bannedUntil }, accountName: record.name, level: key.banState.level }];
  });
}

function positionOf({ key }: BannedKey): BanPosition {
  return { until: key.bannedUntil, keyId: key.keyId };
}
