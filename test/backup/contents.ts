import type { Redis } from "ioredis";

/** Reads a stream entry as an object. */
function fieldsOf(texts: readonly string[]): Record<string, string> {
  const fields: Record<string, string> = {};
  for (let at = 0; at < texts.length; at += 2) fields[texts[at] ?? ""] = texts[at + 1] ?? "";
  return fields;
}

/** The versions of the changes in the history, oldest first. */
export async function versionsOf(redis: Redis): Promise<bigint[]> {
  const entries = await redis.xrange("inv:{stock}:changes", "-", "+");
  return entries.flatMap(([id, texts]) => {
    const last = BigInt(id.split("-", 1)[0] ?? "");
    const changes = (fieldsOf(texts).changes ?? "").split(";").slice(1);
    return changes.map((change) => last - BigInt(change.split(" ", 1)[0] ?? ""));
  });
}

/**
 * Reads all data of a Redis, except counters and stored outcomes. Each version is replaced by the number of its change
 * in the history, so that a restored copy has equal contents.
 */
export async function contentsOf(redis: Redis): Promise<unknown> {
  const versions = await versionsOf(redis);
  const numberOf = (version: string | undefined) =>
    version === undefined || version === "-" ? version : versions.indexOf(BigInt(version));
  const entries = await redis.xrange("inv:{stock}:changes", "-", "+");
  const newest = (await redis.get("inv:{stock}:newest-change")) ?? "0-0";
  const items = Object.entries(await redis.hgetall("inv:{stock}:items")).map(([petId, value]) => {
    const [quantity, status, version] = value.split(",");
    return [petId, quantity, status, numberOf(version)];
  });
  const others = (await redis.keys("inv:*")).filter((key) =>
    /^inv:(?:format|\{accounts\}|\{a\d+\}:[^:]+|\{stock\}:(?:pets|names|skus|last-order|account-orders:.*|hold-index))$/.test(
      key,
    ),
  );
  return {
    history: entries.map(([id, texts]) => {
      const fields = fieldsOf(texts);
      const changes = (fields.changes ?? "")
        .split(";")
        .slice(1)
        .map((change) => {
          const [back, petId, before, after, status, version] = change.split(" ");
          return [back, petId, before, after, status, numberOf(version)];
        });
      const [version, number] = id.split("-");
      return { ...fields, number, version: numberOf(version), before: "", changes };
    }),
    newest: [newest.split("-")[1], numberOf(newest.split("-")[0])],
    items: items.sort(),
    others: Object.fromEntries(
      await Promise.all(others.sort().map(async (key) => [key, await valueIn(redis, key)])),
    ),
    holds: Object.entries(await redis.hgetall("inv:{stock}:holds"))
      .filter(isLasting)
      .sort(),
  };
}

/** Whether a restore keeps a field of the holds. Ended holds that were replaced count no longer. */
function isLasting([name, value]: readonly [string, string]): boolean {
  return !["confirmed", "released", "expired"].includes(name) && value !== "0";
}

async function valueIn(redis: Redis, key: string): Promise<unknown> {
  switch (await redis.type(key)) {
    case "hash":
      return redis.hgetall(key);
    case "zset":
      return redis.zrange(key, 0, "-1", "WITHSCORES");
    default:
      return redis.get(key);
  }
}
