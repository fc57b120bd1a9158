import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { PetStatus } from "../../gen/inventory/v1/inventory_pb.ts";
import { leaseMs } from "../../src/stores/place-store.ts";
import { placeLeaseKey } from "../../src/stores/redis/keys.ts";
import { openRedisStores } from "../support/redis-stores.ts";
import { startRedisServer } from "../system/harness/redis-server.ts";
import { startThere } from "./command-line.ts";
import { nth, useFollow } from "./follow.ts";
import { type Behavior, secret, startReceiver, status } from "./receiver.ts";

const { redis, stores, change } = useFollow();

type Receiver = Awaited<ReturnType<typeof startReceiver>>;

function startRelay(receiver: Receiver, env: Record<string, string> = {}, url = redis.url) {
  const args = ["history relay", "erp", "--to", receiver.url, "--from-beginning"];
  const child = startThere(args, url, { env: { ADMIN_ADDR: "", RELAY_SECRET: secret, ...env } });
  onTestFinished(async () => void (await child.end()));
  return child;
}

/** Waits until the receiver has accepted a version. */
async function accepted(receiver: Receiver, version: bigint, timeout = 60_000): Promise<void> {
  await expect.poll(() => receiver.own.accepted.at(-1), { timeout, interval: 20 }).toBe(version);
}

const newest = async () => (await stores().inventory.page(undefined, 1)).version;

/** Expects that each change since the first was delivered at least once, and in order, apart from repetitions. */
async function expectAll(receiver: Receiver, inventory = stores().inventory): Promise<void> {
  const { changes } = (await inventory.changesSince(0n, 100_000)) ?? { changes: [] };
  const all = changes.map(({ version }) => version);
  let last = 0n;
  const first = receiver.own.accepted.filter((version) => {
    const isNew = version > last;
    if (isNew) last = version;
    return isNew;
  });
  expect(first).toEqual(all);
  expect(receiver.faults).toEqual([]);
}

describe("history relay in a child process", () => {
  test("delivers until SIGTERM: exit code 0, and a restart continues", async () => {
    await change(3);
    const receiver = await startReceiver();
    const first = startRelay(receiver);
    await accepted(receiver, await newest());
    expect(await first.end("SIGTERM")).toMatchObject({ code: 0 });
    expect(first.stdout).toContain('"msg":"stopped"');
    await change(2);
    const second = startRelay(receiver);
    await accepted(receiver, await newest());
    await second.end("SIGTERM");
    expect(receiver.own.accepted.map(Number)).toEqual([1, 2, 3, 4, 5].map(nth));
  });

  test("SIGTERM ends it while it waits for the next attempt, and lets an attempt in progress end", async () => {
    await change(2);
    const receiver = await startReceiver();
    receiver.next.push(status(503, { "retry-after": "3000" }));
    const waiting = startRelay(receiver);
    await waiting.until("it waits", () => waiting.stdout.includes("not delivered"));
    expect(await waiting.end("SIGTERM")).toMatchObject({ code: 0 });
    receiver.next.push((response) => setTimeout(() => response.writeHead(200).end(), 1_000));
    const busy = startRelay(receiver);
    await expect.poll(() => receiver.deliveries.length, { timeout: 20_000 }).toBe(2);
    expect(await busy.end("SIGTERM")).toMatchObject({ code: 0 });
    expect(receiver.own.accepted.map(Number)).toEqual([nth(1)]);
    startRelay(receiver);
    await accepted(receiver, await newest());
    expect(receiver.own.accepted.map(Number)).toEqual([nth(1), nth(2)]);
  });

  test("killed, doubled, and with a receiver that fails in every way, it delivers each change in order", async () => {
    const receiver = await startReceiver();
    const faults: Behavior[] = [
      status(500),
      status(429, { "retry-after": "1" }),
      status(302, { location: "/elsewhere" }),
      (response) => response.socket?.resetAndDestroy(),
      (response) => response.writeHead(200).write("a body that is cut") && response.destroy(),
      (response) => response.writeHead(500).end(Buffer.alloc(1_000_000)),
      (response) => response.end(Buffer.alloc(1_000_000)),
    ];
    let isOver = false;
    const changing = (async () => {
      while (!isOver) {
        await change(1);
        await delay(30);
      }
    })();
    for (const fault of faults) {
      receiver.next.push(fault);
      const killed = startRelay(receiver);
      const doubled = startRelay(receiver);
      const before = receiver.deliveries.length;
      await expect
        .poll(() => receiver.deliveries.length, { timeout: 60_000, interval: 20 })
        .toBeGreaterThan(before + 3);
      await killed.end("SIGKILL");
      await doubled.end("SIGKILL");
      await redis.client.del(placeLeaseKey("relay:erp"));
    }
    isOver = true;
    await changing;
    startRelay(receiver);
    await accepted(receiver, await newest());
    await expectAll(receiver);
  }, 240_000);

  test("a second process says once that it waits, and takes over from a killed one", async () => {
    const receiver = await startReceiver();
    await change(1);
    const first = startRelay(receiver);
    await accepted(receiver, await newest());
    const second = startRelay(receiver);
    const waits = "another process has the name of the relay";
    await second.until("it waits", () => second.stdout.includes(waits));
    await first.end("SIGKILL");
    await change(1);
    await accepted(receiver, await newest(), leaseMs + 20_000);
    expect(second.stdout.split(waits)).toHaveLength(2);
    await expectAll(receiver);
  }, 120_000);

  test("waits while Redis is gone, says so once, and goes on", async () => {
    const server = await startRedisServer("--appendonly", "yes", "--appendfsync", "always");
    onTestFinished(() => server.stop());
    const own = openRedisStores(server.url);
    onTestFinished(() => own.close());
    await own.ready(5_000);
    const put = (quantity: number) =>
      own.catalog.put([{ petId: 1n, quantity, status: PetStatus.SOLD }]);
    const receiver = await startReceiver();
    receiver.own.always = (response) => setTimeout(() => response.writeHead(200).end(), 20);
    const relay = startRelay(receiver, {}, server.url);
    for (let round = 1; round <= 3; round += 1) {
      for (let quantity = 0; quantity < 30; quantity += 1) await put(quantity);
      const due = receiver.deliveries.length + 5;
      await expect
        .poll(() => receiver.deliveries.length, { timeout: 60_000, interval: 5 })
        .toBeGreaterThan(due);
      await server.kill();
      const line = "redis is not available";
      await relay.until("it waits", () => relay.stdout.split(line).length === round + 1, 20_000);
      await server.start();
      await own.ready(10_000);
    }
    await put(99);
    await accepted(receiver, (await own.inventory.page(undefined, 1)).version);
    await expectAll(receiver, own.inventory);
    expect(await relay.end("SIGTERM")).toMatchObject({ code: 0 });
  }, 120_000);

  test("serves its metrics on the admin port", async () => {
    const receiver = await startReceiver();
    await change(2);
    receiver.next.push(status(200), status(500, { "retry-after": "600" }));
    const relay = startRelay(receiver, { ADMIN_ADDR: "127.0.0.1:0" });
    await relay.until("it waits", () => relay.stdout.includes("not delivered"));
    const [, url] = /"url":"([^"]+)"/.exec(relay.stdout) ?? [];
    const metrics = await (await fetch(`${url}/metrics`)).text();
    expect(metrics).toContain('inventory_relay_deliveries_total{relay="erp",result="delivered"} 1');
    expect(metrics).toContain('inventory_relay_deliveries_total{relay="erp",result="failed"} 1');
    expect(metrics).toContain('inventory_relay_active{relay="erp"} 1');
    const [, lag] = /inventory_relay_lag_seconds\{relay="erp"\} (\S+)/.exec(metrics) ?? [];
    expect(Number(lag)).toBeGreaterThan(0);
    expect((await fetch(`${url}/livez`)).status).toBe(200);
  });
});
