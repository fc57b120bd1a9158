import type { Redis } from "ioredis";

/** A change of stored data that no version of the service makes. */
export interface Corruption {
  /** `<key>: <what>` */
  readonly name: string;
  readonly key: string;
  readonly make: () => Promise<unknown>;
}

/** The length of times in milliseconds. */
const timeLength = 13;

/**
 * Returns other values that look valid: each number of a text plus one, each time a minute later, and each word with
 * another letter.
 */
function variants(text: string): string[] {
  const found = new Set<string>();
  for (const { 0: part, index } of text.matchAll(/\d{1,19}|[A-Za-z_-]{2,}/g)) {
    const more = part.length === timeLength ? 60_000n : 1n;
    const other = /^\d/.test(part)
      ? String(BigInt(part) + more).padStart(part.length, "0")
      : (part.startsWith("a") ? "b" : "a") + part.slice(1);
    found.add(text.slice(0, index) + other + text.slice(index + part.length));
  }
  if (text === "") found.add("x");
  found.delete(text);
  return [...found];
}

/** Yields corruptions of a key: without it, without each of its parts, with other values, with parts swapped or twice. */
export async function* corruptionsOf(redis: Redis, key: string): AsyncGenerator<Corruption> {
  const named = (what: string, make: () => Promise<unknown>): Corruption => ({
    name: `${key}: ${what}`,
    key,
    make,
  });
  yield named("delete", () => redis.del(key));
  if ((await redis.pttl(key)) > 0) yield named("persist", () => redis.persist(key));
  else yield named("expire", () => redis.expire(key, 1_000));
  switch (await redis.type(key)) {
    case "string": {
      const text = await redis.getBuffer(key);
      if (!text) return;
      if (text.includes(0)) {
        yield named("cut", () => redis.set(key, text.subarray(1), "KEEPTTL"));
        return;
      }
      for (const other of variants(text.toString())) {
        yield named(`"${text}" to "${other}"`, () => redis.set(key, other, "KEEPTTL"));
      }
      yield named("empty", () => redis.set(key, "", "KEEPTTL"));
      if (/\d{10}$/.test(text.toString())) {
        // A number that stays the same when one is added.
        const beyond = text.toString().replace(/\d+$/, String(2 ** 53));
        yield named(`"${text}" to "${beyond}"`, () => redis.set(key, beyond, "KEEPTTL"));
      }
      return;
    }
    case "hash":
      yield* inHash(redis, key, named);
      return;
    case "zset":
      yield* inSortedSet(redis, key, named);
      return;
    case "stream":
      yield* inStream(redis, key, named);
  }
}

type Named = (what: string, make: () => Promise<unknown>) => Corruption;

async function* inHash(redis: Redis, key: string, named: Named): AsyncGenerator<Corruption> {
  const fields = Object.entries(await redis.hgetall(key));
  for (const [at, [name, value]] of fields.entries()) {
    yield named(`delete field ${name}`, () => redis.hdel(key, name));
    for (const other of variants(value)) {
      yield named(`field ${name} "${value}" to "${other}"`, () => redis.hset(key, name, other));
    }
    const [otherName = ""] = variants(name);
    yield named(`field ${name} also as ${otherName}`, () => redis.hset(key, otherName, value));
    const [next, nextValue] = fields[at + 1] ?? [];
    if (next === undefined || nextValue === undefined || nextValue === value) continue;
    yield named(`swap fields ${name} and ${next}`, () =>
      redis.hset(key, { [name]: nextValue, [next]: value }),
    );
  }
}

async function* inSortedSet(redis: Redis, key: string, named: Named): AsyncGenerator<Corruption> {
  const texts = await redis.zrange(key, 0, "-1", "WITHSCORES");
  for (let at = 0; at < texts.length; at += 2) {
    const [member = "", score = "0"] = texts.slice(at, at + 2);
    yield named(`delete ${member}`, () => redis.zrem(key, member));
    yield named(`score of ${member} plus one`, () => redis.zadd(key, Number(score) + 1, member));
    for (const other of variants(member)) {
      if (texts.includes(other)) continue;
      yield named(`${member} to ${other}`, () =>
        redis.multi().zrem(key, member).zadd(key, score, other).exec(),
      );
      yield named(`${member} also as ${other}`, () => redis.zadd(key, score, other));
    }
  }
}

async function* inStream(redis: Redis, key: string, named: Named): AsyncGenerator<Corruption> {
  const entries = await redis.xrange(key, "-", "+");
  /** Writes the stream again, with its groups. */
  const rewrite = async (changed: readonly (readonly [string, readonly string[]])[]) => {
    const groups = (await redis.xinfo("GROUPS", key)) as string[][];
    await redis.del(key);
    for (const [id, fields] of changed) await redis.xadd(key, id, ...fields);
    for (const [, name = "", , , , , , last = ""] of groups) {
      await redis.xgroup("CREATE", key, name, last, "MKSTREAM");
    }
  };
  yield named("delete all entries", () => redis.xtrim(key, "MAXLEN", 0));
  yield named("delete the oldest entry", () => redis.xtrim(key, "MAXLEN", entries.length - 1));
  yield named("delete the older half", () => redis.xtrim(key, "MAXLEN", entries.length >> 1));
  for (const [at, [id, fields]] of entries.entries()) {
    yield named(`delete entry ${at}`, () => redis.xdel(key, id));
    yield named(`entry ${at} also at the end`, async () => {
      const [version = "0", number = "0"] = (entries.at(-1)?.[0] ?? "").split("-");
      await redis.xadd(key, `${BigInt(version) + 1n}-${number}`, ...fields);
    });
    for (let field = 1; field < fields.length; field += 2) {
      for (const other of variants(fields[field] ?? "")) {
        const changed = fields.with(field, other);
        yield named(`entry ${at} ${fields[field - 1]} "${fields[field]}" to "${other}"`, () =>
          rewrite(entries.with(at, [id, changed])),
        );
      }
    }
    const next = entries[at + 1];
    if (!next) continue;
    yield named(`swap entries ${at} and ${at + 1}`, () =>
      rewrite(entries.with(at, [id, next[1]]).with(at + 1, [next[0], fields])),
    );
  }
}
