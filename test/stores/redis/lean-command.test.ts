import { ReplyError } from "ioredis";
import { expect, test } from "vitest";
import { sendCommand } from "../../../src/stores/redis/connection/lean-command.ts";
import { bytesKept } from "../../support/kept-memory.ts";
import { useRedis } from "../../support/stores.ts";

const redis = useRedis();

test("a command has the reply and the error that Redis sends", async () => {
  const { client } = redis;
  expect(await sendCommand(client, "SET", ["counter", 7], "utf8")).toBe("OK");
  expect(await sendCommand(client, "INCRBY", ["counter", 3], "utf8")).toBe(10);
  expect(await sendCommand(client, "GET", ["counter"], "utf8")).toBe("10");
  expect(await sendCommand(client, "GET", ["counter"], null)).toEqual(Buffer.from("10"));
  await expect(sendCommand(client, "LPUSH", ["counter", 1], "utf8")).rejects.toThrow(ReplyError);
  await expect(sendCommand(client, "LPUSH", ["counter", 1], "utf8")).rejects.toThrow("WRONGTYPE");
});

test("a command fails when its connection closes", async () => {
  const client = redis.client.duplicate({ enableOfflineQueue: false, retryStrategy: null });
  await new Promise((resolve) => client.once("ready", resolve));
  const reply = sendCommand(client, "BLPOP", ["empty", 0], "utf8");
  client.disconnect();
  await expect(reply).rejects.toThrow("Connection is closed.");
});

test("a command does not stay in memory until the next major collection", async () => {
  const kept = await bytesKept(async () => {
    for (let count = 0; count < 200; count += 1) {
      const keys = Array.from({ length: 2_000 }, (_, index) => `key ${count} ${index}`);
      expect(await sendCommand(redis.client, "EXISTS", keys, "utf8")).toBe(0);
    }
  });
  // The arguments of all commands have 16 MB and more.
  expect(kept).toBeLessThan(4_000_000);
});
