import type { ConnectError } from "@connectrpc/connect";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { PetStatus } from "../../gen/inventory/v1/inventory_pb.ts";
import { type FormatError, type FormatRange, ownFormats } from "../../src/stores/redis/format.ts";
import type { Stores } from "../../src/stores/stores.ts";
import { until } from "../faults/until.ts";
import { addAccount } from "../support/accounts.ts";
import { openRedisStores } from "../support/redis-stores.ts";
import { useRedis } from "../support/stores.ts";

const redis = useRedis("--appendonly", "no");
const opened: Stores[] = [];

/** The next version of the service: it knows this format and the next. */
const nextFormats: FormatRange = { oldest: ownFormats.newest, newest: ownFormats.newest + 1 };

beforeEach(async () => {
  await redis.client.flushall();
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((stores) => stores.close()));
});

function start(formats = ownFormats, onUnusable: (error: FormatError) => void = () => {}): Stores {
  const stores = openRedisStores(redis.url, { formats, onUnusable });
  opened.push(stores);
  return stores;
}

async function ready(stores: Stores): Promise<Stores> {
  await stores.ready(5_000);
  return stores;
}

/** Returns why a version cannot start. */
async function refusal(formats = ownFormats): Promise<string> {
  const error = await start(formats)
    .ready(5_000)
    .catch((reason: ConnectError) => reason);
  return error instanceof Error && error.cause instanceof Error ? error.cause.message : "";
}

const format = () => redis.client.get("inv:format");

describe("a start", () => {
  test("writes the newest format into an empty Redis", async () => {
    await ready(start());
    expect(await format()).toBe("1");
  });

  test("writes one format if several processes start at once", async () => {
    const starting = [start(nextFormats), ...Array.from({ length: 5 }, () => start(nextFormats))];
    await Promise.all(starting.map(ready));
    expect(await format()).toBe("2");
  });

  test("refuses data of a newer format, and says what to do", async () => {
    await redis.client.set("inv:format", "2");
    expect(await refusal()).toBe(
      "The data in Redis has format 2, and this version knows only up to 1. Run a newer version of the service.",
    );
    expect(await format()).toBe("2");
  });

  test.each([
    ["the stock", (stores: Stores) => stores.inventory.put([anItem])],
    ["an account", (stores: Stores) => addAccount(stores)],
  ])("adopts %s that a process wrote after all data was removed", async (_, add) => {
    await add(await ready(start()));
    await redis.client.del("inv:format");
    await ready(start());
    expect(await format()).toBe("1");
  });

  test("refuses data whose migration was interrupted", async () => {
    await addAccount(await ready(start()));
    await redis.client.set("inv:format", "0");
    expect(await refusal()).toContain("`inventory migrate`");
  });

  test("does not mistake counters of client addresses for data", async () => {
    const stores = await ready(start());
    await stores.admission.admitAddress("192.0.2.1", { perMinute: 5, perDay: 5 });
    await redis.client.del("inv:format");
    await ready(start());
    expect(await format()).toBe("1");
  });

  test("refuses an incomplete restore", async () => {
    await redis.client.set("inv:format", "restoring x");
    expect(await refusal()).toContain("an incomplete restore");
  });

  test("refuses a value that is not a format", async () => {
    await redis.client.set("inv:format", "newest");
    expect(await refusal()).toContain("has format newest");
  });
});

const anItem = { petId: 1n, quantity: 5, status: PetStatus.AVAILABLE };

describe("this version and the next", () => {
  test("run side by side in this format, whichever starts first", async () => {
    const old = await ready(start());
    const next = await ready(start(nextFormats));
    await old.inventory.put([anItem]);
    await addAccount(next);
    expect((await next.inventory.get(1n))?.quantity).toBe(5);
    expect((await old.accounts.getAccount("aaaaaaaaaaaa"))?.name).toBe("test");
    expect(await format()).toBe("1");
    await ready(start());
  });

  test("this version does not start after the format was raised", async () => {
    await addAccount(await ready(start(nextFormats)));
    await redis.client.set("inv:format", "2");
    await ready(start(nextFormats));
    expect(await refusal()).toContain("has format 2");
  });

  test("a running process notices a raised format when it reconnects", async () => {
    const errors: string[] = [];
    const old = await ready(start(ownFormats, ({ message }) => errors.push(message)));
    await old.inventory.put([anItem]);
    await redis.client.set("inv:format", "2");
    expect((await old.inventory.get(1n))?.quantity).toBe(5);
    expect(errors).toEqual([]);
    await redis.client.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
    await until("the process notices", () => errors.length > 0);
    expect(errors[0]).toContain("has format 2");
  });

  test("a running process of the next version goes on", async () => {
    const errors: string[] = [];
    const next = await ready(start(nextFormats, ({ message }) => errors.push(message)));
    await next.inventory.put([anItem]);
    await redis.client.set("inv:format", "2");
    await redis.client.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
    await until("it is connected again", () => next.inventory.get(1n).catch(() => undefined));
    // The check after the connection is over when another one has been made.
    await next.ready(5_000);
    expect(errors).toEqual([]);
  });

  test("a process that started without Redis checks the format when Redis is there", async () => {
    redis.client.on("error", () => {}); // the client reconnects
    await redis.client.set("inv:format", "2");
    await redis.server.kill();
    const errors: string[] = [];
    const old = start(ownFormats, ({ message }) => errors.push(message));
    await expect(old.ready(50)).rejects.toThrow();
    await redis.server.start();
    await redis.client.set("inv:format", "2");
    await redis.client.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
    await until("the process notices", () => errors.length > 0, 10_000);
  });
});
