import { dayWindow, minuteWindow, refusalWindow, type WindowSpec } from "../access/windows.ts";
import type { Connection } from "../stores/redis/connection/connection.ts";
import { dayUsageKey, partitionOf, topAccountsKey } from "../stores/redis/keys.ts";
import { loadScript, loadWriteScript } from "../stores/redis/scripts.ts";
import { type Finding, forEachKey, scanned } from "./finding.ts";

/** What is known of the keys with a name. */
interface Kind {
  readonly name: RegExp;
  readonly type: "string" | "hash" | "zset" | "stream";
  /** Whether Redis removes them. */
  readonly expires?: true;
  /** The form of the whole string. */
  readonly form?: RegExp;
  /** The length of the string in bytes. */
  readonly bytes?: number;
}

/** The length of windows that are packed in one string (see window.lua). */
function packedBytes(...specs: readonly WindowSpec[]): number {
  return specs.reduce((sum, { buckets }) => sum + 8 + 3 * buckets, 6);
}

const quotaBytes = packedBytes(minuteWindow, dayWindow);

/**
 * The kinds of keys (see src/stores/redis/keys.ts). Numbers that Redis adds to stay below 2^53: a lead grows only up to 2^52, and
 * an order id follows the clock.
 */
const kinds: readonly Kind[] = [
  { name: /^inv:format$/, type: "string" },
  { name: /^inv:restore$/, type: "string", expires: true },
  { name: /^inv:\{accounts\}$/, type: "zset" },
  { name: /^inv:\{accounts\}:deleted$/, type: "zset", expires: true },
  { name: /^inv:\{a\d+\}:bans$/, type: "zset", expires: true },
  { name: /^inv:\{a\d+\}:top-(?:requests|refused):\d+$/, type: "zset", expires: true },
  { name: /^inv:\{a\d+\}:[^:]{12}$/, type: "hash" },
  { name: /^inv:\{a\d+\}:[^:]+:windows$/, type: "string", expires: true, bytes: quotaBytes },
  {
    name: /^inv:\{a\d+\}:[^:]+:refusals:[^:]+$/,
    type: "string",
    expires: true,
    bytes: packedBytes(refusalWindow),
  },
  { name: /^inv:\{a\d+\}:[^:]+:(?:day|hour):\d+$/, type: "hash", expires: true },
  { name: /^inv:\{address:\d+\}:\d+$/, type: "string", expires: true, bytes: quotaBytes },
  { name: /^inv:\{stock\}:items$/, type: "hash" },
  { name: /^inv:\{stock\}:pets$/, type: "zset" },
  { name: /^inv:\{stock\}:newest-change$/, type: "string", form: /^\d{1,16}-\d{1,16}$/ },
  { name: /^inv:\{stock\}:changes$/, type: "stream" },
  { name: /^inv:\{stock\}:revocations$/, type: "stream" },
  {
    name: /^inv:\{stock\}:answer:[^:]+:[^:]+$/,
    type: "string",
    expires: true,
    form: /^\d{1,16} \S+ .*$/s,
  },
  { name: /^inv:\{stock\}:run$/, type: "string", form: /^\S+ (?:[0-4]\d{15}|\d{1,15})$/ },
  { name: /^inv:\{stock\}:last-order$/, type: "string", form: /^(?:[0-8]\d{15}|\d{1,15})$/ },
  { name: /^inv:\{stock\}:order-count$/, type: "string", form: /^\d{1,16}$/ },
  { name: /^inv:\{stock\}:account-orders:.+$/, type: "zset" },
  { name: /^inv:\{stock\}:orders$/, type: "zset" },
  { name: /^inv:\{stock\}:ended-orders(?::.+)?$/, type: "zset" },
  { name: /^inv:\{stock\}:removed-orders$/, type: "string", form: /^\d{1,16}$/ },
  { name: /^inv:\{stock\}:order-removal$/, type: "string", expires: true },
  { name: /^inv:\{stock\}:deleted-account:.+$/, type: "string", expires: true, form: /^\d{1,16}$/ },
  { name: /^inv:\{stock\}:holds$/, type: "hash" },
  { name: /^inv:\{stock\}:hold-index$/, type: "zset" },
  { name: /^inv:\{stock\}:hold-sweeper$/, type: "string", expires: true },
  { name: /^inv:\{audit\}:entries$/, type: "stream" },
];

/** When keys expire that did not, in seconds: later than any of them would. */
const expirySeconds = 32 * 24 * 60 * 60;

/** A key of a wrong type. The message says which. Commands on it fail, so nothing else can be checked. */
export class WrongTypeError extends Error {
  override name = "WrongTypeError";
}

/**
 * Makes a check of a page of keys: their type, their form, and whether exactly those expire that should. Keys with other
 * names are left out.
 */
export function createKeyCheck(connection: Connection) {
  return async function* (keys: readonly string[]): AsyncGenerator<Finding> {
    const known = keys.flatMap((key) => {
      const kind = kinds.find(({ name }) => name.test(key));
      return kind ? [{ key, ...kind }] : [];
    });
    const names = known.map(({ key }) => key);
    const types = await forEachKey(connection, names, (redis, key) =>
      Promise.all([redis.type(key), redis.pttl(key)]),
    );
    for (const [at, { key, type, expires }] of known.entries()) {
      const [found = "none", ttl = 0] = types[at] ?? [];
      if (found !== "none" && found !== type) {
        throw new WrongTypeError(`${key} is of the type ${found}, but should be of ${type}`);
      }
      if (expires && ttl === -1) {
        const repair = () => connection.change(key, (redis) => redis.expire(key, expirySeconds));
        yield { problem: `${key} does not expire`, repair };
      }
      if (!expires && ttl >= 0) yield { problem: `${key} expires: send PERSIST to keep it` };
    }
    const texts = known.filter(({ form, bytes }) => form ?? bytes);
    const values = await forEachKey(
      connection,
      texts.map(({ key }) => key),
      (redis, key) => redis.getBuffer(key),
    );
    for (const [at, { key, form, bytes = 0, expires }] of texts.entries()) {
      const value = values[at];
      if (!value || (form ? form.test(value.toString()) : value.length === bytes)) continue;
      const problem = `${key} cannot be read`;
      // Counters and stored responses are lost in a restore too. Without them, requests succeed again.
      const repair = () => connection.change(key, (redis) => redis.unlink(key));
      yield expires ? { problem, repair } : { problem };
    }
  };
}

/**
 * Makes a check of the usage among a page of keys: whether the ranks of an account count all requests of a day. A rank
 * may count more, because requests that are taken back stay in it.
 */
export function createUsageCheck(connection: Connection) {
  const checkRanks = loadScript(connection, "check-ranks");
  const repairRanks = loadWriteScript(connection, "check-ranks");

  /** Finds accounts with a rank of a day, but without requests. */
  async function* inRank(key: string, day: number): AsyncGenerator<Finding> {
    for await (const ranks of scanned(connection, key, "zset")) {
      const accountIds = ranks.map(([accountId]) => accountId);
      const days = accountIds.map((accountId) => dayUsageKey(accountId, day));
      const exist = await forEachKey(connection, days, (redis, name) => redis.exists(name));
      for (const accountId of accountIds.filter((_, at) => exist[at] === 0)) {
        const repair = () => connection.change(key, (redis) => redis.zrem(key, accountId));
        yield { problem: `account ${accountId} has a rank on day ${day}, but no requests`, repair };
      }
    }
  }

  /** Checks the requests of an account on a day. */
  async function inDay(key: string, accountId: string, day: number): Promise<Finding[]> {
    const partition = partitionOf(accountId);
    const names = [
      key,
      topAccountsKey(partition, "requests", day),
      topAccountsKey(partition, "refused", day),
    ];
    if (!(await checkRanks(names, [accountId, "check"]))) return [];
    const problem = `account ${accountId} has more requests on day ${day} than its rank counts`;
    return [{ problem, repair: () => repairRanks(names, [accountId, "repair"]) }];
  }

  return async function* (keys: readonly string[], today: number): AsyncGenerator<Finding> {
    const days: Promise<Finding[]>[] = [];
    for (const key of keys) {
      const [, rankDay] = /^inv:\{a\d+\}:top-(?:requests|refused):(\d+)$/.exec(key) ?? [];
      // A deletion leaves ranks of earlier days, which expire.
      if (Number(rankDay) >= today - 1) yield* inRank(key, Number(rankDay));
      const [, accountId = "", day] = /^inv:\{a\d+\}:([^:]+):day:(\d+)$/.exec(key) ?? [];
      if (Number(day) < today || key !== dayUsageKey(accountId, Number(day))) continue;
      days.push(inDay(key, accountId, Number(day)));
    }
    for (const findings of await Promise.all(days)) yield* findings;
  };
}
