import { accountOfKeyId } from "../../../access/api-key.ts";
import type { CallContext } from "../../../common/call-context.ts";
import { dayMs, hourMs, minuteMs } from "../../../common/durations.ts";
import type { KeyRecord } from "../../account-store.ts";
import {
  type BannedKey,
  type BanPosition,
  firstToEnd,
  type KeyDay,
  type KeyMinute,
  noRequests,
  type RequestCounts,
  type UsageStore,
} from "../../usage-store.ts";
import { banLevel, type KeyFields, parseKey } from "../accounts/stored-key.ts";
import { readQuota } from "../admission/decision.ts";
import { ReplyReader } from "../admission/reply-reader.ts";
import type { Connection } from "../connection/connection.ts";
import { operations } from "../connection/operation.ts";
import type { Send } from "../connection/send.ts";
import {
  accountKey,
  accountPartitions,
  accountWindowsKey,
  bansKey,
  dayUsageKey,
  hourUsageKey,
  partitionOf,
  topAccountsKey,
} from "../keys.ts";
import { pairsOf } from "../pairs.ts";
import { type Clock, loadBinaryScript, loadLateScript, loadScript } from "../scripts.ts";
import { createPastDays } from "./past-days.ts";

const minutesPerHour = 60;

/** The last days, to which processes can still add requests. */
const recentDays = 2;

/** The most bans that are read of each partition for a page. */
const bansOfPartition = 100;

const outcomes = { a: "admitted", l: "limited", b: "banned" } as const;

/** The requests of accounts in Redis. @param onAdded called with the accounts of requests that were added */
export function createRedisUsageStore(
  connection: Connection,
  now: Clock,
  onAdded: (accountIds: readonly string[]) => void,
): UsageStore {
  const { run } = connection;
  const addUsage = loadLateScript(connection, "add-usage");
  const readWindows = loadBinaryScript(connection, "read-quota");
  const readKeys = loadScript(connection, "read-keys");
  const listBans = loadScript(connection, "list-accounts");
  const clock = now ?? Date.now;
  const pastDays = createPastDays(async (accountId, day) => {
    const key = dayUsageKey(accountId, day);
    return keysOfDay(await run(key, (redis) => redis.hgetall(key), operations.hgetall));
  });

  /** Reads banned keys of an account. Bans that were lifted or keys that were deleted are left out. */
  async function readBans(accountId: string, some: readonly BanPosition[]): Promise<BannedKey[]> {
    const ids = some.map(({ keyId }) => keyId);
    const reply = await readKeys([accountKey(accountId)], ids);
    const [accountName, ...keys] = reply as readonly [string, ...(KeyFields | readonly [])[]];
    return keys.flatMap((fields): BannedKey[] => {
      if (fields.length === 0) return [];
      const { bannedUntil, ...key }: KeyRecord = parseKey(fields, clock());
      if (bannedUntil === undefined) return [];
      return [{ key: { ...key, bannedUntil }, accountName, level: banLevel(fields) }];
    });
  }

  return {
    slotOf: (accountId) => connection.slotOf(accountKey(accountId)),
    async add({ counts, bans }) {
      const groupOf = ({ accountId, minute }: KeyMinute) => `${accountId} ${minute}`;
      const groups = [...Map.groupBy(counts, groupOf).values()] as unknown as Group[];
      const keys = [
        ...groups.flatMap(keysOfGroup),
        ...bans.map(({ keyId }) => bansKey(partitionOf(accountOfKeyId(keyId)))),
      ];
      const [first] = keys;
      if (first === undefined) return true;
      const args = [
        groups.length,
        ...groups.flatMap(argumentsOfGroup),
        ...bans.flatMap(({ keyId, since, until }) => [keyId, since, until]),
      ];
      let isSent = false;
      const argumentsNow = () => {
        isSent = true;
        return [keys, args] as const;
      };
      try {
        await addUsage(first, argumentsNow, []);
        onAdded(groups.map(([{ accountId }]) => accountId));
        return true;
      } catch (error) {
        if (isSent) throw error;
        return false;
      }
    },
    async quota(accountId, { perMinute, perDay }, context) {
      const key = accountWindowsKey(accountId);
      const reply = await readWindows([key], [now?.() ?? "", perMinute, perDay], context);
      const { windows, decidedAt } = readQuota(new ReplyReader(reply), { perMinute, perDay });
      return { now: decidedAt, windows };
    },
    async read(accountId, time, days, context) {
      const hour = Math.floor(time / hourMs);
      const today = Math.floor(time / dayMs);
      const hours = [hour - 1, hour];
      const last = Array.from({ length: days }, (_, index) => today - days + 1 + index);
      const [past, recent] = [last.slice(0, -recentDays), last.slice(-recentDays)];
      const keys = [
        ...hours.map((each) => hourUsageKey(accountId, each)),
        ...recent.map((each) => dayUsageKey(accountId, each)),
      ];
      const read: Send<Record<string, string>[]> = (redis) =>
        Promise.all(keys.map((each) => redis.hgetall(each)));
      const hashes = await run(accountKey(accountId), read, operations.hgetall, [context]);
      const pastKeys = await pastDays(accountId, past);
      return {
        minutes: new Map(hours.flatMap((each, index) => minutesOf(each, hashes[index] ?? {}))),
        days: new Map([
          ...past.map((each, index) => [each, pastKeys[index] ?? []] as const),
          ...recent.map((each, index) => [each, keysOfDay(hashes[index + 2] ?? {})] as const),
        ]),
      };
    },
    async top(order, limit, context) {
      const day = Math.floor(clock() / dayMs);
      const lists = await Promise.all(
        partitions.map((partition) => {
          const key = topAccountsKey(partition, order, day);
          const read: Send<string[]> = (redis) =>
            redis.zrange(key, "0", String(limit - 1), "REV", "WITHSCORES");
          return run(key, read, operations.zrange, [oneOf(partition, context)]);
        }),
      );
      return lists
        .flatMap(scoresOf)
        .sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? 1 : -1))
        .slice(0, limit)
        .map(([accountId]) => accountId);
    },
    async bans(after, limit, context) {
      const begin = after ?? { keyId: "", until: clock() };
      const most = Math.min(limit, bansOfPartition);
      const read = async (partition: number) => {
        const args = [most + 1, begin.keyId, begin.until];
        const reply = await listBans([bansKey(partition)], args, oneOf(partition, context));
        return scoresOf(reply as string[]).map(([keyId, until]) => ({ keyId, until }));
      };
      const lists = await Promise.all(partitions.map(read));
      const { page, next } = firstBans(lists, after, most, limit);
      const byAccount = Object.groupBy(page, ({ keyId }) => accountOfKeyId(keyId));
      const found = await Promise.all(
        Object.entries(byAccount).map(([accountId, own = []]) => readBans(accountId, own)),
      );
      const byId = new Map(found.flat().map((ban) => [ban.key.keyId, ban]));
      return { bans: page.flatMap(({ keyId }) => byId.get(keyId) ?? []), next };
    },
  };
}

/** Returns the context for one of the reads that wait together. With each of them, the wait would count 64 times. */
function oneOf(partition: number, context: CallContext | undefined): CallContext | undefined {
  return partition === 0 ? context : undefined;
}

const partitions = Array.from({ length: accountPartitions }, (_, index) => index);

/** The requests of keys of one account in one minute. */
type Group = readonly [KeyMinute, ...KeyMinute[]];

function keysOfGroup([{ accountId, minute }]: Group): string[] {
  const day = Math.floor((minute * minuteMs) / dayMs);
  const partition = partitionOf(accountId);
  return [
    accountKey(accountId),
    dayUsageKey(accountId, day),
    hourUsageKey(accountId, Math.floor(minute / minutesPerHour)),
    topAccountsKey(partition, "requests", day),
    topAccountsKey(partition, "refused", day),
  ];
}

function argumentsOfGroup(keys: Group): (string | number)[] {
  const [{ accountId, minute }] = keys;
  return [
    accountId,
    minute % minutesPerHour,
    keys.length,
    ...keys.flatMap(({ keyId, admitted, limited, banned }) => [keyId, admitted, limited, banned]),
  ];
}

type Fields = Readonly<Record<string, string>>;

type Counts = { -readonly [Name in keyof RequestCounts]: RequestCounts[Name] };

/** Returns the requests by the names of fields without their last letter, which is the outcome. */
function countsOf(hash: Fields): Map<string, RequestCounts> {
  const found = new Map<string, Counts>();
  for (const [field, value] of Object.entries(hash)) {
    const outcome = outcomes[field.slice(-1) as keyof typeof outcomes];
    const counts = found.getOrInsertComputed(field.slice(0, -1), () => ({ ...noRequests }));
    counts[outcome] = Number(value);
  }
  return found;
}

function minutesOf(hour: number, hash: Fields): [minute: number, requests: RequestCounts][] {
  const first = hour * minutesPerHour;
  return [...countsOf(hash)].map(([minute, requests]) => [first + Number(minute), requests]);
}

function keysOfDay(hash: Fields): KeyDay[] {
  return [...countsOf(hash)].map(([keyId, requests]) => ({ keyId, requests }));
}

/** Parses members and scores, which alternate. */
function scoresOf(reply: readonly string[]): [member: string, score: number][] {
  return pairsOf(reply).map(([member, score]) => [member, Number(score)]);
}

/** Merges the bans of the partitions. @param lists one more than `most` of a partition if it has more */
function firstBans(
  lists: readonly (readonly BanPosition[])[],
  after: BanPosition | undefined,
  most: number,
  limit: number,
): { page: BanPosition[]; next: BanPosition | undefined } {
  const all = lists.flat().sort(firstToEnd);
  // What a partition has after its part of the list is not known.
  const [end] = lists.flatMap((list) => list.slice(most, most + 1)).sort(firstToEnd);
  const known = all.filter(
    (ban) =>
      (after === undefined || firstToEnd(ban, after) > 0) &&
      (end === undefined || firstToEnd(ban, end) < 0),
  );
  const page = known.slice(0, limit);
  const isLast = end === undefined && known.length <= limit;
  return { page, next: isLast ? undefined : page.at(-1) };
}
