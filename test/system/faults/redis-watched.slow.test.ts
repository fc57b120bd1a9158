import { timestampMs } from "@bufbuild/protobuf/wkt";
import { Code } from "@connectrpc/connect";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { PetStatus } from "../../../gen/inventory/v1/inventory_pb.ts";
import { type App, createApp } from "../../../src/app/app.ts";
import { readConfig } from "../../../src/config/config.ts";
import { createLog } from "../../../src/observability/log/log.ts";
import { createRedisStores } from "../../../src/stores/redis/stores.ts";
import type { Stores } from "../../../src/stores/stores.ts";
import { addAccount, addKey } from "../../support/accounts.ts";
import { useRedis } from "../../support/stores.ts";
import { ndjson, startWatch, versionsOf, type Watch, watchProtocols } from "../../support/watch.ts";
import { until } from "../harness/until.ts";

const redis = useRedis("--appendonly", "yes", "--appendfsync", "always");
const own: { stores?: Stores; app?: App; url: string; secret: string; first: bigint } = {
  url: "",
  secret: "",
  first: 0n,
};

beforeAll(() => {
  redis.client.on("error", () => {}); // the client reconnects
});
beforeEach(async () => {
  await redis.client.flushdb();
  const stores = createRedisStores(redis.url);
  await stores.ready(5_000);
  own.stores = stores;
  own.secret = (await addKey(stores, await addAccount(stores))).secret;
  const item = { petId: 1n, quantity: 0, status: PetStatus.AVAILABLE };
  own.first = (await stores.catalog.create(item)) as bigint;
});
afterEach(async () => {
  await own.app?.drain(0);
  await own.stores?.close();
});
afterAll(() => redis.client.disconnect());

async function serve(heartbeatMs: number): Promise<void> {
  const config = readConfig({ PORT: "0", WATCH_HEARTBEAT_MS: String(heartbeatMs) });
  own.app = createApp(config, own.stores as Stores, createLog("silent"));
  own.url = (await own.app.listen(0, "127.0.0.1")).url;
}

/** The versions of all changes except the first. */
async function versions(): Promise<readonly bigint[]> {
  const since = await own.stores?.inventory.changesSince(own.first, 100);
  return since?.changes.map(({ version }) => version) ?? [];
}

/** Makes changes, and retries each until Redis is available. */
async function change(...quantities: readonly number[]): Promise<void> {
  for (const quantity of quantities) {
    await expect
      .poll(() => own.stores?.inventory.change({ petId: 1n, quantity }), { timeout: 10_000 })
      .toMatchObject({ kind: "changed" });
  }
}

/** Returns the time in the last heartbeat of a watch since when changes may be missing. */
function staleSince(watch: Watch): number | undefined {
  const beat = watch.received.findLast(({ event }) => event.case === "heartbeat")?.event.value;
  const since = beat && "staleSince" in beat ? beat.staleSince : undefined;
  return since && timestampMs(since);
}

test.each(["killed", "stopped"])("Redis is %s: heartbeats say since when", async (way) => {
  // The next regular heartbeat would come too late.
  await serve(60_000);
  const watches = watchProtocols.map((protocol) =>
    startWatch(protocol, { url: own.url, secret: own.secret }),
  );
  await Promise.all(watches.map((watch) => watch.reached(own.first)));
  await change(1);
  const { first } = own;
  await Promise.all(watches.map((watch) => watch.reached(first + 1n)));
  const before = Date.now();
  const beganAt = performance.now();
  if (way === "killed") await redis.server.kill();
  else redis.server.pause();
  for (const watch of watches) await until("a stale heartbeat", () => staleSince(watch));
  // A stopped server is noticed when a read of one second has no reply after another one.
  expect(performance.now() - beganAt).toBeLessThan(way === "killed" ? 1_000 : 3_000);
  for (const watch of watches) {
    expect(staleSince(watch)).toBeGreaterThan(before - 2_000);
    expect(staleSince(watch)).toBeLessThanOrEqual(before + 1_000);
  }
  const refused = startWatch(ndjson, { url: own.url, secret: own.secret });
  expect((await refused.failure()).code).toBe(Code.Unavailable);
  if (way === "killed") await redis.server.start();
  else redis.server.resume();
  await change(2);
  const made = await versions();
  for (const watch of watches) {
    await watch.reached(made.at(-1) ?? 0n);
    await until("a heartbeat that is not stale", () => staleSince(watch) === undefined);
    expect(versionsOf(watch.received)).toEqual(made);
    expect(watch.end).toBeUndefined();
  }
});

test("Redis stays down for several heartbeats: watches go on", async () => {
  await serve(100);
  const watch = startWatch(ndjson, { url: own.url, secret: own.secret });
  await watch.reached(own.first);
  await redis.server.kill();
  await until("a stale heartbeat", () => staleSince(watch));
  const count = watch.received.length;
  await until("more heartbeats", () => watch.received.length > count + 5);
  await redis.server.start();
  await change(1);
  await watch.reached((await versions()).at(-1) ?? 0n);
  expect(watch.end).toBeUndefined();
});
