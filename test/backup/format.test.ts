import type { ConnectError } from "@connectrpc/connect";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { PetStatus } from "../../gen/inventory/v1/inventory_pb.ts";
import type { FormatError } from "../../src/stores/redis/format.ts";
import type { Stores } from "../../src/stores/stores.ts";
import { addAccount } from "../support/accounts.ts";
import { openRedisStores } from "../support/redis-stores.ts";
import { useRedis } from "../support/stores.ts";
import { until } from "../system/harness/until.ts";

const redis = useRedis("--appendonly", "no");
const opened: Stores[] = [];

beforeEach(async () => {
  await redis.client.flushall();
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((stores) => stores.close()));
});

function start(onUnusable: (error: FormatError) => void = () => {}): Stores {
  const stores = openRedisStores(redis.url, { onUnusable });
  opened.push(stores);
  return stores;
}

async function ready(stores: Stores): Promise<Stores> {
  await stores.ready(5_000);
  return stores;
}

/** Returns why a process cannot start. */
async function refusal(): Promise<string> {
  const error = await start()
    .ready(5_000)
    .catch((reason: ConnectError) => reason);
  return error instanceof Error && error.cause instanceof Error ? error.cause.message : "";
}

const format = () => redis.client.get("inv:format");

describe("a start", () => {
  test("writes the format into an empty Redis", async () => {
    await ready(start());
    expect(await format()).toBe("1");
  });

  test("writes one format if several processes start at once", async () => {
    await Promise.all(Array.from({ length: 6 }, () => ready(start())));
    expect(await format()).toBe("1");
  });

  test.each(["0", "2", "newest"])(
    "refuses data of format %s, and says what to do",
    async (other) => {
      await addAccount(await ready(start()));
      await redis.client.set("inv:format", other);
      expect(await refusal()).toBe(
        `The data in Redis has format ${other}, and this version uses format 1. Run the version of the service that wrote the data.`,
      );
      expect(await format()).toBe(other);
    },
  );

  test.each([
    ["the stock", (stores: Stores) => stores.catalog.put([anItem])],
    ["an account", (stores: Stores) => addAccount(stores)],
  ])("adopts %s that a process wrote after all data was removed", async (_, add) => {
    await add(await ready(start()));
    await redis.client.del("inv:format");
    await ready(start());
    expect(await format()).toBe("1");
  });

  test("does not mistake counters of client addresses for data", async () => {
    const stores = await ready(start());
    await stores.admission.countAddress("192.0.2.1", { perMinute: 5, perDay: 5 });
    await redis.client.del("inv:format");
    await ready(start());
    expect(await format()).toBe("1");
  });

  test("refuses an incomplete restore", async () => {
    await redis.client.set("inv:format", "restoring x");
    expect(await refusal()).toContain("an incomplete restore");
  });
});

const anItem = { petId: 1n, quantity: 5, status: PetStatus.AVAILABLE };

describe("a running process", () => {
  test("notices another format when it reconnects", async () => {
    const errors: string[] = [];
    const stores = await ready(start(({ message }) => errors.push(message)));
    await stores.catalog.put([anItem]);
    await redis.client.set("inv:format", "2");
    expect((await stores.inventory.get(1n))?.quantity).toBe(5);
    expect(errors).toEqual([]);
    await redis.client.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
    await until("the process notices", () => errors.length > 0);
    expect(errors[0]).toContain("has format 2");
  });

  test("that started without Redis checks the format when Redis is there", async () => {
    redis.client.on("error", () => {}); // the client reconnects
    await redis.client.set("inv:format", "2");
    await redis.server.kill();
    const errors: string[] = [];
    const stores = start(({ message }) => errors.push(message));
    await expect(stores.ready(50)).rejects.toThrow();
    await redis.server.start();
    await redis.client.set("inv:format", "2");
    await redis.client.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
    await until("the process notices", () => errors.length > 0, 10_000);
  });
});
