import { dayWindow, minuteWindow, refusalWindow, type WindowSpec } from "../access/windows.ts";
import { dayMs } from "../common/durations.ts";
import type { Connection } from "../stores/redis/connection/connection.ts";
import { accountOfOrdersKey } from "../stores/redis/keys.ts";
import type { Found } from "./finding.ts";
import { forEachKey, scanned } from "./read-data.ts";

interface Kind {
  readonly name: RegExp;
  readonly type: "string" | "hash" | "zset" | "stream";
  /** Whether Redis removes them. */
  readonly expires?: true;
  /** The form of the whole string, or its length in bytes. */
  readonly form?: RegExp | number;
}

/** The length of windows that are packed in one string (see window.lua). */
function packedBytes(...specs: readonly WindowSpec[]): number {
  return specs.reduce((sum, { buckets }) => sum + 8 + 3 * buckets, 6);
}

const quotaBytes = packedBytes(minuteWindow, dayWindow);
const refusalBytes = packedBytes(refusalWindow);
const expires = true;
const outcomeForm = /^\d{1,16} \S+ .*$/s;

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
  { name: /^inv:\{a\d+\}:[^:]+:windows$/, type: "string", expires, form: quotaBytes },
  { name: /^inv:\{a\d+\}:[^:]+:refusals:[^:]+$/, type: "string", expires, form: refusalBytes },
  { name: /^inv:\{a\d+\}:[^:]+:(?:day|hour):\d+$/, type: "hash", expires },
  { name: /^inv:\{address:\d+\}:\d+$/, type: "string", expires, form: quotaBytes },
  { name: /^inv:\{stock\}:(?:items|holds|names|skus)$/, type: "hash" },
  { name: /^inv:\{stock\}:(?:pets|orders|account-orders:.+|hold-index)$/, type: "zset" },
  { name: /^inv:\{stock\}:ended-orders(?::.+)?$/, type: "zset" },
  { name: /^inv:\{stock\}:(?:changes|revocations|catalog-changes)$/, type: "stream" },
  { name: /^inv:\{audit\}:entries$/, type: "stream" },
  { name: /^inv:\{stock\}:newest-change$/, type: "string", form: /^\d{1,16}-\d{1,16}$/ },
  { name: /^inv:\{stock\}:outcome:[^:]+:[^:]+$/, type: "string", expires, form: outcomeForm },
  { name: /^inv:\{stock\}:run$/, type: "string", form: /^\S+ (?:[0-4]\d{15}|\d{1,15})$/ },
  { name: /^inv:\{stock\}:last-order$/, type: "string", form: /^(?:[0-8]\d{15}|\d{1,15})$/ },
  { name: /^inv:\{stock\}:removed-orders$/, type: "string", form: /^\d{1,16}$/ },
  { name: /^inv:\{stock\}:place:.+$/, type: "string", form: /^\d{1,19}(?: \S+)?$/ },
  { name: /^inv:\{stock\}:place-lease:.+$/, type: "string", expires },
  { name: /^inv:\{stock\}:deleted-account:.+$/, type: "string", expires, form: /^\d{1,16}$/ },
];

/** When keys expire that did not, in seconds: later than any of them would. */
const expirySeconds = (32 * dayMs) / 1_000;

/** A key of a wrong type. The message says which. */
export class WrongTypeError extends Error {
  override name = "WrongTypeError";
}

/**
 * Checks keys: their type, their form, and whether exactly those expire that should. Leaves out keys with unknown names.
 *
 * @throws WrongTypeError, because commands on such a key fail; ConnectError unavailable
 */
export async function checkKeys(connection: Connection, names: readonly string[], found: Found) {
  const known = names.flatMap((key) => {
    const kind = kinds.find(({ name }) => name.test(key));
    return kind ? [{ key, ...kind }] : [];
  });
  const keys = known.map(({ key }) => key);
  const types = await forEachKey(connection, keys, (redis, key) => redis.type(key));
  const existing = known.filter(({ key, type }, at) => {
    const actual = types[at] ?? "none";
    if (actual === "none" || actual === type) return actual === type;
    throw new WrongTypeError(
      `${key} is of the type ${actual}, but should be of ${type}: nothing else can be checked`,
    );
  });
  await Promise.all(existing.map((each) => checkKey(connection, each, found)));
}

async function checkKey(
  connection: Connection,
  { key, form, ...kind }: Kind & { readonly key: string },
  found: Found,
): Promise<void> {
  const [ttl, value] = await Promise.all([
    connection.run(key, (redis) => redis.pttl(key)),
    form && connection.run(key, (redis) => redis.getBuffer(key)),
  ]);
  if (kind.expires && ttl === -1) {
    await found(`${key} does not expire`, () =>
      connection.change(key, (redis) => redis.expire(key, expirySeconds)),
    );
  }
  if (!kind.expires && ttl >= 0) await found(`${key} expires: send PERSIST to keep it`);
  const isLength = typeof form === "number";
  if (value && form && !(isLength ? value.length === form : form.test(value.toString()))) {
    // Counters and stored responses are lost in a restore too. Without them, requests succeed again.
    const repair = () => connection.change(key, (redis) => redis.unlink(key));
    await found(`${key} cannot be read`, kind.expires && repair);
  }
  if (accountOfOrdersKey(key) !== undefined) await checkPlaces(connection, key, found);
}

/** Checks that all scores of a sorted set are 0, because its members are read in the order of their bytes. */
async function checkPlaces(connection: Connection, key: string, found: Found): Promise<void> {
  const endAt = (at: number) =>
    connection.run(key, (redis) => redis.zrange(key, at, `${at}`, "WITHSCORES"));
  const ends = await Promise.all([endAt(0), endAt(-1)]);
  if (ends.every(([, score = "0"]) => score === "0")) return;
  for await (const page of scanned(connection, key, "zset")) {
    const misplaced = page.filter(([, score]) => score !== "0").map(([member]) => member);
    if (misplaced.length === 0) continue;
    await found(`${key} has ${misplaced[0]} in a wrong place`, () =>
      // Other commands can remove some of them in the meantime.
      connection.change(key, (redis) =>
        redis.zadd(key, "XX", ...misplaced.flatMap((member) => [0, member])),
      ),
    );
  }
}
