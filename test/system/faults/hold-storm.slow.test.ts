import { connect } from "node:http2";
import { expect, onTestFinished, test } from "vitest";
import { PetStatus } from "../../../gen/inventory/v1/inventory_pb.ts";
import { addAccount, addKey } from "../../support/accounts.ts";
import { openRedisStores } from "../../support/redis-stores.ts";
import { useRedis } from "../../support/stores.ts";
import { startLiveServer } from "../harness/live-server.ts";
import { until } from "../harness/until.ts";

const redis = useRedis();

const holds = 100;
const petsOfHold = 50;

/** Most that the process may grow, in MB. */
const mostGrowth = 150;

/**
 * Reads 1 Mbit/s: the bandwidth of a slow connection. The flow control of HTTP/2 lets the server send 64 kB ahead, and not
 * the megabytes that the kernel would take.
 *
 * @returns the text so far
 */
function watchSlowly(url: string, secret: string) {
  const session = connect(url);
  const received = { text: "", isClosed: false };
  const stream = session.request({
    ":path": "/v1/inventory:watch",
    accept: "application/x-ndjson",
    authorization: `Bearer ${secret}`,
  });
  for (const each of [session, stream]) {
    each.on("error", () => {});
    each.on("close", () => {
      received.isClosed = true;
    });
  }
  // With this listener, the stream reads no more than its buffer takes.
  stream.on("readable", () => {});
  const reading = setInterval(() => {
    const chunk: Buffer | null = stream.read(Math.min(stream.readableLength, 12_500));
    received.text += chunk?.toString("latin1") ?? "";
  }, 100);
  onTestFinished(() => {
    clearInterval(reading);
    session.destroy();
  });
  return received;
}

test("a watcher that reads 1 Mbit/s gets every change of a storm of due holds, and the process stays small", async () => {
  const stores = openRedisStores(redis.url);
  onTestFinished(() => stores.close());
  await stores.ready(5_000);
  const account = await addAccount(stores, { plan: "business" });
  const { secret } = await addKey(stores, account);
  const petIds = Array.from({ length: petsOfHold }, (_, at) => BigInt(at + 1));
  await stores.catalog.put(
    petIds.map((petId) => ({ petId, quantity: holds, status: PetStatus.AVAILABLE })),
  );
  // Far fewer changes than the storm makes. A watcher that lags by more is disconnected.
  const server = await startLiveServer({ REDIS_URL: redis.url, WATCH_BACKLOG: "1500" });
  onTestFinished(() => server.kill());
  const items = petIds.map((petId) => ({ petId, quantity: 1 }));
  const end = Date.now() + 20_000;
  for (let at = 0; at < holds; at += 1) {
    const outcome = await stores.holds.put(account, `cart-${at}`, {
      items,
      ttlMs: end - Date.now(),
    });
    expect(outcome.kind).toBe("held");
  }
  const watcher = watchSlowly(`http://127.0.0.1:${server.port}`, secret);
  await until("the watch has begun", () => watcher.text.includes('"ready"'), 30_000);
  const before = server.residentMegabytes();
  let most = before;
  const endings = () => watcher.text.split('"reason":"hold_ended"').length - 1;
  await until(
    "all changes have arrived",
    () => {
      most = Math.max(most, server.residentMegabytes());
      return watcher.isClosed || endings() === holds * petsOfHold;
    },
    90_000,
  );
  expect([watcher.isClosed, endings()]).toEqual([false, holds * petsOfHold]);
  expect(most - before).toBeLessThan(mostGrowth);
  expect(server.log.bugs).toEqual([]);
  const { items: stock } = await stores.inventory.list();
  expect(new Set(stock.map(({ quantity }) => quantity))).toEqual(new Set([holds]));
}, 150_000);
