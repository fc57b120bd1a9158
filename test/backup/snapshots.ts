import { afterAll, beforeAll } from "vitest";
import type { DataReader } from "../../src/backup/read-data.ts";
import type { DataRecord } from "../../src/backup/records.ts";
import { readSnapshot } from "../../src/backup/snapshot.ts";
import { createVerifier } from "../../src/backup/verifier.ts";
import { openRedisConnection, openRedisStores } from "../support/redis-stores.ts";
import type { useRedis } from "../support/stores.ts";

/** Opens the stores in Redis, and a connection, before the tests, and closes both after them. */
export function useData(redis: ReturnType<typeof useRedis>) {
  const open = () => ({
    stores: openRedisStores(redis.url),
    connection: openRedisConnection(redis.url),
  });
  let own: ReturnType<typeof open> | undefined;
  beforeAll(async () => {
    own = open();
    await Promise.all([own.stores.ready(5_000), own.connection.ready(5_000)]);
  });
  afterAll(async () => {
    await Promise.all([own?.stores.close(), own?.connection.close()]);
  });
  const opened = () => {
    if (!own) throw new Error("Use the data only while a test runs.");
    return own;
  };
  return { stores: () => opened().stores, connection: () => opened().connection };
}

/** Reads a snapshot to its end, and checks whether its records agree. */
export async function wholeSnapshot(reader: DataReader) {
  const problems: string[] = [];
  const report = (problem: string) => void problems.push(problem);
  const verifier = createVerifier(report);
  const found: DataRecord[] = [];
  const { signal } = new AbortController();
  const records = readSnapshot(reader, { advance: () => {}, report, signal });
  let next = await records.next();
  for (; !next.done; next = await records.next()) {
    verifier.check(next.value);
    found.push(...next.value);
  }
  verifier.end(next.value);
  return { found, summary: next.value, problems };
}
