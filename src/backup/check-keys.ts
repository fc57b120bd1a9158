import { dayWindow, minuteWindow, refusalWindow, type WindowSpec } from "../access/windows.ts";
import type { Connection } from "../stores/redis/connection/connection.ts";
import { accountKey, accountOfKey } from "../stores/redis/keys.ts";
import { storedKeys } from "../stores/redis/stored-keys.ts";
import { entriesAtOnce, type Found, forEachKey } from "./finding.ts";

/** What is known of the keys with a name. */
interface Kind {
  readonly name: RegExp;
  readonly type: "string" | "hash" | "zset" | "stream";
  /** Whether Redis removes them. */
  readonly expires?: true;
  /** Whether all scores are 0, so that members are ordered by their bytes. */
  readonly byBytes?: true;
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
const refusalBytes = packedBytes(refusalWindow);
const expires = true;
const byBytes = true;

/**
 * The kinds of keys (see src/stores/redis/keys.ts). Numbers that Redis adds to stay below 2^53: a lead grows only up to 2^52, and
 * an order id follows the clock.
 */
const kinds: readonly Kind[] = [
  { name: /^inv:format$/, type: "string" },
  { name: /^inv:(?:restore|\{stock\}:(?:order-removal|hold-sweeper))$/, type: "string", expires },
  { name: /^inv:\{accounts\}$/, type: "zset" },
  { name: /^inv:\{accounts\}:deleted$/, type: "zset", expires },
  { name: /^inv:\{a\d+\}:(?:bans|top-(?:requests|refused):\d+)$/, type: "zset", expires },
  { name: /^inv:\{a\d+\}:[^:]{12}$/, type: "hash" },
  { name: /^inv:\{a\d+\}:[^:]+:windows$/, type: "string", expires, bytes: quotaBytes },
  { name: /^inv:\{a\d+\}:[^:]+:refusals:[^:]+$/, type: "string", expires, bytes: refusalBytes },
  { name: /^inv:\{a\d+\}:[^:]+:(?:day|hour):\d+$/, type: "hash", expires },
  { name: /^inv:\{address:\d+\}:\d+$/, type: "string", expires, bytes: quotaBytes },
  { name: /^inv:\{stock\}:(?:items|holds)$/, type: "hash" },
  { name: /^inv:\{stock\}:(?:pets|orders|account-orders:.+|hold-index)$/, type: "zset", byBytes },
  { name: /^inv:\{stock\}:ended-orders(?::.+)?$/, type: "zset" },
  { name: /^inv:(?:\{stock\}:(?:changes|revocations)|\{audit\}:entries)$/, type: "stream" },
  { name: /^inv:\{stock\}:newest-change$/, type: "string", form: /^\d{1,16}-\d{1,16}$/ },
  {
    name: /^inv:\{stock\}:answer:[^:]+:[^:]+$/,
    type: "string",
    expires,
    form: /^\d{1,16} \S+ .*$/s,
  },
  { name: /^inv:\{stock\}:run$/, type: "string", form: /^\S+ (?:[0-4]\d{15}|\d{1,15})$/ },
  { name: /^inv:\{stock\}:last-order$/, type: "string", form: /^(?:[0-8]\d{15}|\d{1,15})$/ },
  { name: /^inv:\{stock\}:removed-orders$/, type: "string", form: /^\d{1,16}$/ },
  { name: /^inv:\{stock\}:deleted-account:.+$/, type: "string", expires, form: /^\d{1,16}$/ },
];

/** When keys expire that did not, in seconds: later than any of them would. */
const expirySeconds = 32 * 24 * 60 * 60;

/** A key of a wrong type. The message says which. Commands on it fail, so nothing else can be checked. */
export class WrongTypeError extends Error {
  override name = "WrongTypeError";
}

/** Returns the keys that have a known name and exist, with what is known of them. @throws WrongTypeError */
async function typesOf(connection: Connection, names: readonly string[]) {
  const known = names.flatMap((key) => {
    const kind = kinds.find(({ name }) => name.test(key));
    return kind ? [{ key, ...kind }] : [];
  });
  const types = await forEachKey(
    connection,
    known.map(({ key }) => key),
    (redis, key) => redis.type(key),
  );
  return known.filter(({ key, type }, at) => {
    const found = types[at] ?? "none";
    if (found !== "none" && found !== type) {
      throw new WrongTypeError(`${key} is of the type ${found}, but should be of ${type}`);
    }
    return found !== "none";
  });
}

/**
 * Checks all keys: their type, their form, their place on a cluster, and whether exactly those expire that should. Leaves
 * out keys with unknown names.
 *
 * @param found called with each disagreement
 * @throws WrongTypeError; ConnectError unavailable; the signal's reason
 */
export async function checkKeys(connection: Connection, signal: AbortSignal, found: Found) {
  for await (const names of storedKeys(connection)) {
    signal.throwIfAborted();
    await checkPage(connection, names, found);
  }
}

async function checkPage(connection: Connection, names: readonly string[], found: Found) {
  const known = await typesOf(connection, names);
  const keys = known.map(({ key }) => key);
  const times = await forEachKey(connection, keys, (redis, key) => redis.pttl(key));
  for (const [at, { key, expires: isExpiring }] of known.entries()) {
    const repair = () => connection.change(key, (redis) => redis.expire(key, expirySeconds));
    const ttl = times[at] ?? -1;
    if (isExpiring && ttl === -1) await found(`${key} does not expire`, repair);
    if (!isExpiring && ttl >= 0) await found(`${key} expires: send PERSIST to keep it`);
    const accountId = accountOfKey(key);
    if (accountId !== undefined && key !== accountKey(accountId)) {
      await found(`${key} is not in the partition of its account: no request can use it`);
    }
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
    // Counters and stored responses are lost in a restore too. Without them, requests succeed again.
    const repair = () => connection.change(key, (redis) => redis.unlink(key));
    await found(`${key} cannot be read`, expires && repair);
  }
  const sorted = known.filter((each) => each.byBytes);
  await Promise.all(sorted.map(({ key }) => checkPlaces(connection, key, found)));
}

/** Checks that all scores of a sorted set are 0. */
async function checkPlaces(connection: Connection, key: string, found: Found): Promise<void> {
  for (const [from, to] of [
    ["-inf", "(0"],
    ["(0", "+inf"],
  ] as const) {
    const read = () =>
      connection.run(key, (redis) =>
        redis.zrange(key, from, to, "BYSCORE", "LIMIT", 0, entriesAtOnce),
      );
    const [first] = await read();
    if (first === undefined) continue;
    await found(`${key} has ${first} in a wrong place`, async () => {
      for (let members = await read(); members.length > 0; members = await read()) {
        // Other commands can remove some of them in the meantime.
        const zeros = members.flatMap((member) => [0, member]);
        await connection.change(key, (redis) => redis.zadd(key, "XX", ...zeros));
      }
    });
  }
}
