import { expect, onTestFinished, test } from "vitest";
import { singleServer } from "../../../src/stores/redis/connection/settings.ts";
import { startFault } from "../../../src/stores/redis/connection/start-fault.ts";
import { openRedisConnection } from "../../support/redis-stores.ts";
import { useRedis } from "../../support/stores.ts";

const redis = useRedis("--appendonly", "no");

test("a command whose connection is lost fails with a reason that names no option of the client", async () => {
  const failures: unknown[] = [];
  const connection = openRedisConnection(redis.url, { onFailure: (error) => failures.push(error) });
  onTestFinished(() => connection.close());
  await connection.ready(5_000);
  const reply = connection.run("key", (client) => client.blpop("empty", 10));
  await expect.poll(() => redis.client.info("clients")).toContain("blocked_clients:1");
  await Promise.all([
    expect(reply).rejects.toMatchObject({ cause: { message: "the connection was closed" } }),
    redis.client.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"),
  ]);
  expect(failures.map(String)).toContain("Error: the connection was closed");
});

test("a fault at the start has no second period after a reason that ends with one", () => {
  const fault = startFault(singleServer("redis://db"), new Error("Socket timeout."));
  expect(fault).toBe(
    "REDIS_URL: cannot connect to Redis at db:6379: Socket timeout. Start Redis there, or correct the URL",
  );
});
