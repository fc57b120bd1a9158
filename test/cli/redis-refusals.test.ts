import { expect, test } from "vitest";
import { useRedis } from "../support/stores.ts";
import { runHere, succeedHere } from "./command-line.ts";

const redis = useRedis();

test.each([
  ["maxmemory", "1", "reached its maxmemory (OOM). Raise maxmemory"],
  ["min-replicas-to-write", "1", "min-replicas-to-write (NOREPLICAS). Start its replicas"],
])("a command that writes says why Redis refuses it: %s", async (setting, value, reason) => {
  const inventory = { redisUrl: redis.url };
  await redis.client.flushdb();
  await succeedHere(["items create 5 --quantity 3 --status available"], inventory);
  await redis.client.config("SET", setting, value);
  try {
    const { code, stdout, stderr } = await runHere(["items adjust 5 --by 1"], inventory);
    expect({ code, stdout }).toEqual({ code: 8, stdout: "" });
    expect(stderr).toMatch(/^error: Redis refuses changes because [^\n]+\n$/);
    expect(stderr).toContain(reason);
  } finally {
    await redis.client.config("SET", setting, "0");
  }
  expect(await succeedHere(["items show 5"], inventory)).toMatch(/quantity +3/);
});
