import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { PetStatus } from "../../../gen/inventory/v1/inventory_pb.ts";
import { type App, createApp } from "../../../src/app/app.ts";
import { readConfig } from "../../../src/config/config.ts";
import { createLog } from "../../../src/observability/log/log.ts";
import type { Stores } from "../../../src/stores/stores.ts";
import { addAccount, addKey } from "../../support/accounts.ts";
import { openRedisStores } from "../../support/redis-stores.ts";
import { useRedis } from "../../support/stores.ts";
import { ndjson, startWatch, versionsOf } from "../../support/watch.ts";

const watchers = 500;
const changes = 20;

// With an option, Redis is a separate server for this file: the test counts its connections.
const redis = useRedis("--maxmemory-policy", "noeviction");
const own: { stores?: Stores; app?: App; url: string; secret: string } = { url: "", secret: "" };

beforeAll(async () => {
  own.stores = openRedisStores(redis.url);
  await own.stores.ready(5_000);
});
afterAll(() => own.stores?.close());
beforeEach(async () => {
  const stores = own.stores as Stores;
  own.app = createApp(
    readConfig({ PORT: "0", MAX_WATCHES_PER_KEY: "1000" }),
    stores,
    createLog("silent"),
  );
  own.url = (await own.app.listen(0, "127.0.0.1")).url;
  const limits = { perMinute: 1_000_000, perDay: 1_000_000 };
  own.secret = (
    await addKey(stores, await addAccount(stores, { plan: "enterprise", limits }))
  ).secret;
  await stores.catalog.create({ petId: 1n, quantity: 0, status: PetStatus.AVAILABLE });
});
afterEach(() => own.app?.drain(0));

async function connections(): Promise<number> {
  const list = await redis.client.client("LIST");
  return String(list).trim().split("\n").length;
}

test(`${watchers} watches receive every change through one Redis connection, which closes after the last watch`, async () => {
  const stores = own.stores as Stores;
  const before = await connections();
  const all = Array.from({ length: watchers }, () =>
    startWatch(ndjson, { url: own.url, secret: own.secret }),
  );
  const { version } = await stores.inventory.page(undefined, 1);
  await Promise.all(all.map((watch) => watch.reached(version)));
  expect(await connections()).toBe(before + 1);
  const expected: bigint[] = [];
  for (let made = 1; made <= changes; made += 1) {
    const outcome = await stores.inventory.setQuantity(1n, made);
    if (outcome.kind === "changed") expected.push(outcome.item.version);
  }
  expect(expected).toHaveLength(changes);
  await Promise.all(all.map((watch) => watch.reached(expected.at(-1) ?? 0n)));
  for (const { received } of all) expect(versionsOf(received)).toEqual(expected);
  for (const watch of all) watch.disconnect();
  await expect.poll(connections, { timeout: 5_000 }).toBe(before);
}, 60_000);
