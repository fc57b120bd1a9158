import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
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

test("a command that writes says how many replicas have the change", async () => {
  const inventory = { redisUrl: redis.url };
  await redis.client.flushdb();
  await succeedHere(["items create 5 --quantity 3 --status available"], inventory);
  const { code, stderr } = await runHere(["items adjust 5 --by 1"], {
    ...inventory,
    variables: { REDIS_ACK_REPLICAS: "1" },
  });
  expect(code).toBe(8);
  expect(stderr).toContain("Nothing was changed");
  expect(stderr).toMatch(
    /Reason: (?:0 of 1 replicas have|fewer than 1 replicas have confirmed) the change/,
  );
});

test.each([
  ["", "cannot connect to Redis at {host}: the connection was closed. Start Redis there"],
  [
    "-ERR max number of clients reached\r\n",
    "Redis at {host} has as many connections as its maxclients allows. Raise maxclients",
  ],
])("a command says why a server closes its connections: %j", async (last, reason) => {
  const server = createServer((socket: Socket) => socket.on("error", () => {}).end(last));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { code, stderr } = await runHere(["items list"], { redisUrl: `redis://${host}` });
  expect(code).toBe(8);
  expect(stderr).toContain(`error: REDIS_URL: ${reason.replace("{host}", host)}`);
});
