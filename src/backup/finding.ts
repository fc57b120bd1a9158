import type { Redis } from "ioredis";
import type { Connection } from "../stores/redis/connection/connection.ts";
import { pairsOf } from "../stores/redis/pairs.ts";

/**
 * Reports what disagrees, in one line, and may repair it.
 *
 * @param repair what `inventory verify --repair` does. It compares again in the same step, because clients change the data
 * in the meantime. Undefined if only an operator can decide what is right
 */
export type Found = (problem: string, repair?: () => Promise<unknown>) => Promise<void>;

/** The most entries that one command reads or compares. It takes Redis about a millisecond. */
export const entriesAtOnce = 500;

/** Scans a key, page by page. @returns fields of a hash with their values, or members of a sorted set with their scores */
export async function* scanned(
  connection: Connection,
  key: string,
  type: "hash" | "zset",
): AsyncGenerator<[entry: string, value: string][]> {
  let cursor = "0";
  do {
    const [next, reply] = await connection.run(key, (redis) =>
      type === "hash"
        ? redis.hscan(key, cursor, "COUNT", entriesAtOnce)
        : redis.zscan(key, cursor, "COUNT", entriesAtOnce),
    );
    cursor = next;
    if (reply.length > 0) yield pairsOf(reply);
  } while (cursor !== "0");
}

/**
 * Sends one command for each key, all in one write to each server.
 *
 * @param keys at most about a thousand
 * @param perform `connection.change` for changes
 * @returns the replies, in the order of the keys
 */
export function forEachKey<T>(
  connection: Connection,
  keys: readonly string[],
  send: (redis: Redis, key: string, at: number) => Promise<T>,
  perform = connection.run,
): Promise<T[]> {
  return Promise.all(keys.map((key, at) => perform(key, (redis) => send(redis, key, at))));
}
